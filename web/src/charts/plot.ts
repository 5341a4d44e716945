/** From curves to what uPlot draws. */
import type uPlot from "uplot";
import type { Zone } from "@/lib/time";
import { type XKind, xTicks } from "./axes";
import { type ChartColours, lookOf } from "./colours";
import { align, type Curve, lonely, oddPlaces, positive, type Range, reduce, smooth, within } from "./series";

export interface PlotRequest {
  curves: readonly Curve[];
  /** Ids of curves that are not drawn. */
  hidden: ReadonlySet<string>;
  range: Range | null;
  width: number;
  smoothing: number;
  isLog: boolean;
}

interface Column {
  curve: Curve;
  look: number;
  kind: "line" | "raw" | "low" | "high";
}

export interface Plot {
  data: uPlot.AlignedData;
  columns: Column[];
  odd: { look: number; x: number[] }[];
}

/** Fewer pixels per point than this, and a line becomes a smear. */
const PIXELS_PER_POINT = 2;

export function plotOf({ curves, hidden, range, width, smoothing, isLog }: PlotRequest): Plot {
  const buckets = Math.max(20, Math.floor(width / PIXELS_PER_POINT));
  const columns: Column[] = [];
  const odd: Plot["odd"] = [];
  const parts = curves.flatMap((curve, index) => {
    if (hidden.has(curve.id)) return [];
    const look = curve.colour ?? index;
    const seen = within(curve, range);
    const drawn = reduce(seen, buckets);
    const values: { kind: Column["kind"]; values: (number | null)[] }[] = [];
    if (drawn.isReduced && curve.isLimit !== true) {
      values.push({ kind: "low", values: drawn.low }, { kind: "high", values: drawn.high });
    } else if (smoothing > 0 && curve.isLimit !== true) {
      values.push({ kind: "raw", values: drawn.middle });
    }
    values.push({ kind: "line", values: curve.isLimit === true ? drawn.middle : smooth(drawn.middle, smoothing) });
    columns.push(...values.map(({ kind }) => ({ curve, look, kind })));
    odd.push({ look, x: oddPlaces(seen) });
    return [{ x: drawn.x, columns: values.map((one) => (isLog ? positive(one.values) : one.values)) }];
  });
  return { data: align(parts) as uPlot.AlignedData, columns, odd };
}

/** What must be the same for a chart to be updated rather than made anew. */
export function shapeOf(plot: Plot): string {
  return plot.columns.map(({ curve, look, kind }) => `${curve.id}|${look}|${kind}`).join("\n");
}

export interface Frame {
  width: number;
  height: number;
  xKind: XKind;
  zone: Zone;
  isLog: boolean;
  range: Range | null;
  colours: ChartColours;
  formatY: (value: number) => string;
  /** Charts of one key move their cursors together. */
  sync?: string | undefined;
  odd: () => Plot["odd"];
  onZoom: (range: Range) => void;
  onCursor: (x: number | null) => void;
}

export function optionsOf(plot: Plot, frame: Frame): uPlot.Options {
  const { colours } = frame;
  return {
    width: frame.width,
    height: frame.height,
    padding: [8, 8, 0, 0],
    legend: { show: false },
    cursor: {
      drag: { x: true, y: false, setScale: false },
      points: { size: 6 },
      ...(frame.sync === undefined ? {} : { sync: { key: frame.sync } }),
    },
    scales: {
      x: {
        time: frame.xKind === "wall",
        ...(frame.range === null ? {} : { range: [frame.range.from, frame.range.to] }),
      },
      y: frame.isLog ? { distr: 3 } : {},
    },
    axes: [
      axis(colours, (ticks) => xTicks(frame.xKind, ticks, frame.zone)),
      { ...axis(colours, (ticks) => ticks.map((tick) => (tick === null ? "" : frame.formatY(tick)))), size: 58 },
    ],
    series: [{}, ...plot.columns.map((column) => seriesOf(column, colours))],
    bands: bandsOf(plot.columns, colours),
    hooks: {
      setSelect: [(chart) => zoomed(chart, frame.onZoom)],
      setCursor: [
        (chart) =>
          frame.onCursor(typeof chart.cursor.idx === "number" ? (chart.data[0][chart.cursor.idx] ?? null) : null),
      ],
      draw: [(chart) => markOdd(chart, frame.odd(), colours)],
    },
  };
}

function axis(colours: ChartColours, values: (ticks: number[]) => string[]): uPlot.Axis {
  return {
    stroke: colours.text,
    font: '11px "Inter", system-ui, sans-serif',
    grid: { stroke: colours.line, width: 1 },
    ticks: { show: false },
    size: 26,
    values: (_, ticks) => values(ticks),
  };
}

function seriesOf({ curve, look, kind }: Column, colours: ChartColours): uPlot.Series {
  const { colour, dash } = lookOf(look);
  const stroke = colours.series[colour] ?? colours.text;
  if (kind === "low" || kind === "high") return { label: curve.label, stroke: "transparent", points: { show: false } };
  const isRaw = kind === "raw";
  return {
    label: curve.label,
    stroke: isRaw ? translucent(stroke, 0.3) : stroke,
    width: isRaw ? 1 : 1.6,
    dash: curve.isLimit === true ? [5, 4] : [...dash],
    points: {
      show: curve.x.length < 2,
      filter: (chart, index, isShown) => (isShown ? null : lonely([...(chart.data[index] ?? [])])),
    },
    spanGaps: false,
  };
}

function bandsOf(columns: readonly Column[], colours: ChartColours): uPlot.Band[] {
  return columns.flatMap((column, index) => {
    if (column.kind !== "high") return [];
    const fill = translucent(colours.series[lookOf(column.look).colour] ?? colours.text, 0.2);
    return [{ series: [index + 1, index] as [number, number], fill }];
  });
}

function zoomed(chart: uPlot, onZoom: (range: Range) => void): void {
  const { left, width } = chart.select;
  if (width < 4) return;
  onZoom({ from: chart.posToVal(left, "x"), to: chart.posToVal(left + width, "x") });
  chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
}

/** A small cross at the foot of the chart where a value was not a number. */
function markOdd(chart: uPlot, odd: Plot["odd"], colours: ChartColours): void {
  const { ctx, bbox } = chart;
  const size = 3 * devicePixelRatio;
  const y = bbox.top + bbox.height - 2 * size;
  ctx.save();
  ctx.lineWidth = 1.5 * devicePixelRatio;
  for (const { look, x } of odd) {
    ctx.strokeStyle = colours.series[lookOf(look).colour] ?? colours.text;
    ctx.beginPath();
    for (const value of x) {
      const at = chart.valToPos(value, "x", true);
      if (at < bbox.left || at > bbox.left + bbox.width) continue;
      ctx.moveTo(at - size, y - size);
      ctx.lineTo(at + size, y + size);
      ctx.moveTo(at + size, y - size);
      ctx.lineTo(at - size, y + size);
    }
    ctx.stroke();
  }
  ctx.restore();
}

/** `#rrggbb` → the same with an alpha. */
function translucent(colour: string, alpha: number): string {
  return `${colour}${Math.round(alpha * 255)
    .toString(16)
    .padStart(2, "0")}`;
}
