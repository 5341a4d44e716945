import { type KeyboardEvent, type ReactNode, useId, useMemo, useState } from "react";
import { formatNumber, plural } from "@/lib/format";
import type { Zone } from "@/lib/time";
import { usePreferences } from "@/preferences/preferences";
import { Button } from "@/ui/Button";
import { type XKind, xInWords, xTitle } from "./axes";
import { Canvas } from "./Canvas";
import { ChartTable } from "./ChartTable";
import { colourToken } from "./colours";
import { type Curve, type Range, summarise, valueAt } from "./series";
import styles from "./TimeSeries.module.css";

export interface TimeSeriesProps {
  title: string;
  /** Behind the title, such as `GiB`. */
  unit?: string;
  curves: readonly Curve[];
  xKind: XKind;
  height?: number;
  /** 0 to 0.99. */
  smoothing?: number;
  isLog?: boolean;
  range?: Range | null;
  onRange?: (range: Range | null) => void;
  /** Charts of one key show their cursors together. */
  sync?: string;
  format?: (value: number) => string;
  /** A link or button at the end of the head. */
  aside?: ReactNode;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Curves over a step or time: a figure with a name, a sentence of its figures, a cursor for keyboard and pointer, a legend that
 * hides curves, and the values as a table.
 */
export function TimeSeries(props: TimeSeriesProps) {
  const { title, unit, curves, xKind, height = 170, smoothing = 0, isLog = false, range = null, onRange } = props;
  const { sync, format = formatNumber, aside } = props;
  const zone: Zone = usePreferences().times === "local" ? "local" : "utc";
  const id = useId();
  const [hidden, setHidden] = useState(NONE);
  const [cursor, setCursor] = useState<number | null>(null);
  const [byKeyboard, setByKeyboard] = useState<number | null>(null);
  const [isTable, setTable] = useState(false);
  const places = useMemo(() => placesOf(curves, hidden, range), [curves, hidden, range]);
  const at = cursor ?? places.at(-1) ?? 0;
  const words = useMemo(
    () => summaryOf(curves, format, (x) => xInWords(xKind, x, zone)),
    [curves, format, xKind, zone],
  );
  const move = (to: number) => {
    const bounded = places[Math.max(0, Math.min(places.length - 1, to))] ?? null;
    setByKeyboard(bounded);
    setCursor(bounded);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const now = places.indexOf(at);
    const next = keyboardMove(event.key, now < 0 ? places.length - 1 : now, places.length);
    if (next === null) return;
    event.preventDefault();
    move(next);
  };
  const toggle = (curve: string) =>
    setHidden((before) => {
      const next = new Set(before);
      if (!next.delete(curve)) next.add(curve);
      return next;
    });
  return (
    <figure className={styles.figure} aria-labelledby={id}>
      <figcaption className={styles.head}>
        <h3 id={id} title={title}>
          {title}
        </h3>
        {unit !== undefined && <span className={styles.unit}>{unit}</span>}
        <span className={styles.tools}>
          {range !== null && onRange !== undefined && (
            <Button kind="quiet" onClick={() => onRange(null)}>
              Whole range
            </Button>
          )}
          {aside}
          <Button kind="quiet" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
            {isTable ? "Chart" : "Table"}
          </Button>
        </span>
      </figcaption>
      {isTable ? (
        <ChartTable
          title={title}
          curves={curves}
          xName={xTitle(xKind, zone)}
          xInWords={(x) => xInWords(xKind, x, zone)}
          format={format}
        />
      ) : (
        <>
          <div
            className={styles.plot}
            role="slider"
            tabIndex={0}
            aria-label={`${title}: cursor`}
            aria-describedby={`${id}-words`}
            aria-valuemin={places[0] ?? 0}
            aria-valuemax={places.at(-1) ?? 0}
            aria-valuenow={at}
            aria-valuetext={readout(curves, hidden, at, xInWords(xKind, at, zone), format)}
            onKeyDown={onKeyDown}
          >
            <Canvas
              curves={curves}
              hidden={hidden}
              xKind={xKind}
              zone={zone}
              height={height}
              smoothing={smoothing}
              isLog={isLog}
              range={range}
              sync={sync}
              formatY={format}
              cursorX={byKeyboard}
              onCursor={setCursor}
              onZoom={(zoom) => onRange?.(zoom)}
            />
          </div>
          <div className={styles.axis}>
            <span>{xTitle(xKind, zone)}</span>
            <span className="numeric">{xInWords(xKind, at, zone)}</span>
          </div>
          <ul className={styles.legend} aria-label={`Curves of ${title}`}>
            {curves.map((curve, index) => (
              <LegendItem
                key={curve.id}
                curve={curve}
                index={curve.colour ?? index}
                value={format(valueAt(curve, at) ?? Number.NaN)}
                known={valueAt(curve, at) !== undefined}
                isHidden={hidden.has(curve.id)}
                onToggle={() => toggle(curve.id)}
              />
            ))}
          </ul>
        </>
      )}
      <p id={`${id}-words`} className={styles.words}>
        {words}
      </p>
    </figure>
  );
}

interface LegendItemProps {
  curve: Curve;
  index: number;
  value: string;
  known: boolean;
  isHidden: boolean;
  onToggle: () => void;
}

function LegendItem({ curve, index, value, known, isHidden, onToggle }: LegendItemProps) {
  return (
    <li>
      <button type="button" aria-pressed={!isHidden} title={isHidden ? "Show" : "Hide"} onClick={onToggle}>
        <i
          aria-hidden="true"
          className={styles.swatch}
          data-dashed={curve.isLimit === true || index >= 6 || undefined}
          style={{ borderColor: colourToken(index) }}
        />
        <span className={styles.label}>{curve.label}</span>
        <span className={`numeric ${styles.value}`}>{known ? value : "–"}</span>
      </button>
    </li>
  );
}

/** Where the cursor can stand: at most a few hundred stops, so that arrows get somewhere. */
function placesOf(curves: readonly Curve[], hidden: ReadonlySet<string>, range: Range | null): number[] {
  const all = curves.filter(({ id }) => !hidden.has(id)).flatMap(({ x }) => x);
  const sorted = [...new Set(all)].sort((a, b) => a - b);
  return range === null ? sorted : sorted.filter((x) => x >= range.from && x <= range.to);
}

/** Arrows go one step, Page keys a tenth, Home and End to the ends. */
export function keyboardMove(key: string, now: number, count: number): number | null {
  const leap = Math.max(1, Math.round(count / 10));
  const moves: Record<string, number> = {
    ArrowLeft: now - 1,
    ArrowDown: now - 1,
    ArrowRight: now + 1,
    ArrowUp: now + 1,
    PageUp: now + leap,
    PageDown: now - leap,
    Home: 0,
    End: count - 1,
  };
  return moves[key] ?? null;
}

function readout(
  curves: readonly Curve[],
  hidden: ReadonlySet<string>,
  at: number,
  place: string,
  format: (value: number) => string,
): string {
  const values = curves
    .filter(({ id }) => !hidden.has(id))
    .map((curve) => [curve.label, valueAt(curve, at)] as const)
    .map(([label, value]) => `${label} ${value === undefined ? "no value" : format(value)}`);
  return `${place}: ${values.join(", ")}`;
}

function summaryOf(curves: readonly Curve[], format: (value: number) => string, place: (x: number) => string): string {
  const sentences = curves
    .filter(({ isLimit }) => isLimit !== true)
    .slice(0, 4)
    .map((curve) => {
      const found = summarise(curve);
      if (found === null) return `${curve.label}: no number.`;
      const odd = found.odd === 0 ? "" : ` ${plural(found.odd, "value is", "values are")} not a finite number.`;
      const name = curves.length === 1 ? "Last" : `${curve.label}: last`;
      return `${name} ${format(found.last)}, lowest ${format(found.low)} (${place(found.lowX)}), highest ${format(found.high)} (${place(found.highX)}).${odd}`;
    });
  return sentences.join(" ");
}
