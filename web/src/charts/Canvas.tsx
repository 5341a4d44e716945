import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Zone } from "@/lib/time";
import type { XKind } from "./axes";
import { readColours, useScheme } from "./colours";
import { optionsOf, plotOf, shapeOf } from "./plot";
import type { Curve, Range } from "./series";
import styles from "./TimeSeries.module.css";

export interface CanvasProps {
  curves: readonly Curve[];
  hidden: ReadonlySet<string>;
  xKind: XKind;
  zone: Zone;
  height: number;
  smoothing: number;
  isLog: boolean;
  range: Range | null;
  sync?: string | undefined;
  formatY: (value: number) => string;
  /** Where the keyboard has put the cursor. */
  cursorX: number | null;
  onCursor: (x: number | null) => void;
  onZoom: (range: Range | null) => void;
}

/** The drawing alone; what it means is said around it. New values are set into the same chart, so that nothing jumps. */
export function Canvas(props: CanvasProps) {
  const { curves, hidden, xKind, zone, height, smoothing, isLog, range, sync, cursorX } = props;
  const root = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const [width, setWidth] = useState(0);
  const scheme = useScheme();
  const plot = useMemo(
    () => plotOf({ curves, hidden, range, width, smoothing, isLog }),
    [curves, hidden, range, width, smoothing, isLog],
  );
  const latest = useRef({ ...props, plot });
  useLayoutEffect(() => {
    latest.current = { ...props, plot };
  });
  useLayoutEffect(() => {
    const element = root.current;
    if (element === null) return undefined;
    const measure = () => setWidth(Math.floor(element.clientWidth));
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);

  const shape = shapeOf(plot);
  const from = range?.from;
  const to = range?.to;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the chart is made anew only when its make-up changes
  useEffect(() => {
    if (root.current === null || width === 0) return undefined;
    const options = optionsOf(latest.current.plot, {
      width,
      height,
      xKind,
      zone,
      isLog,
      range: latest.current.range,
      colours: readColours(),
      formatY: (value) => latest.current.formatY(value),
      sync,
      odd: () => latest.current.plot.odd,
      onZoom: (zoom) => latest.current.onZoom(zoom),
      onCursor: (x) => latest.current.onCursor(x),
    });
    const made = new uPlot(options, latest.current.plot.data, root.current);
    made.over.addEventListener("dblclick", () => latest.current.onZoom(null));
    chart.current = made;
    return () => {
      made.destroy();
      chart.current = null;
    };
  }, [shape, width, height, xKind, zone, isLog, from, to, scheme, sync]);

  useEffect(() => chart.current?.setData(plot.data), [plot]);
  useEffect(() => {
    const present = chart.current;
    if (cursorX === null || present === null) return;
    present.setCursor({ left: present.valToPos(cursorX, "x"), top: present.over.clientHeight / 2 });
  }, [cursorX]);
  return <div ref={root} className={styles.canvas} style={{ height }} aria-hidden="true" />;
}
