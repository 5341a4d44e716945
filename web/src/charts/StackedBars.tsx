import { type ReactNode, useId, useState } from "react";
import { formatNumber } from "@/lib/format";
import { Button } from "@/ui/Button";
import { colourToken } from "./colours";
import styles from "./StackedBars.module.css";
import { type Bar, laidOut, type Part, sentenceOf, totalOf } from "./stacking";

interface StackedBarsProps {
  title: string;
  /** Behind the title, such as `GiB`. */
  unit?: string;
  bars: readonly Bar[];
  /** What the parts are, in one order for all bars: the order gives each its colour. */
  parts: readonly Part[];
  format?: (value: number) => string;
  aside?: ReactNode;
}

/**
 * How much of several capacities is taken, and by whom: one bar each, to its own scale, with its capacity at the end. Each bar
 * has its figures as a sentence, and all of them are there as a table.
 */
export function StackedBars({ title, unit, bars, parts, format = formatNumber, aside }: StackedBarsProps) {
  const id = useId();
  const [isTable, setTable] = useState(false);
  const shown = parts.filter((part) => bars.some((bar) => (bar.values[part.id] ?? 0) > 0));
  return (
    <figure className={styles.figure} aria-labelledby={id}>
      <figcaption className={styles.head}>
        <h3 id={id}>{title}</h3>
        {unit !== undefined && <span className={styles.unit}>{unit}</span>}
        <span className={styles.tools}>
          {aside}
          <Button kind="quiet" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
            {isTable ? "Bars" : "Table"}
          </Button>
        </span>
      </figcaption>
      {isTable ? (
        <ValueTable title={title} bars={bars} parts={shown} format={format} />
      ) : (
        <>
          <ul className={styles.bars}>
            {bars.map((bar) => (
              <li key={bar.id}>
                <BarLine bar={bar} parts={parts} format={format} />
              </li>
            ))}
          </ul>
          <ul className={styles.legend} aria-label={`Parts of ${title}`}>
            {shown.map((part) => (
              <li key={part.id}>
                <i aria-hidden="true" style={{ background: colourOf(parts, part) }} />
                {part.label}
              </li>
            ))}
          </ul>
        </>
      )}
    </figure>
  );
}

interface BarLineProps {
  bar: Bar;
  parts: readonly Part[];
  format: (value: number) => string;
}

function BarLine({ bar, parts, format }: BarLineProps) {
  return (
    <div className={styles.line}>
      <span className={styles.label}>{bar.label}</span>
      <span className={styles.track} role="img" aria-label={sentenceOf(bar, parts, format)}>
        {laidOut(bar, parts).map(({ part, value, from, width }) => (
          <i
            key={part.id}
            title={`${part.label}: ${format(value)}`}
            style={{ left: `${from * 100}%`, width: `${width * 100}%`, background: colourOf(parts, part) }}
          />
        ))}
      </span>
      <span className={`numeric ${styles.figures}`}>
        {format(totalOf(bar))} of {format(bar.capacity)}
      </span>
    </div>
  );
}

function ValueTable({
  title,
  bars,
  parts,
  format,
}: { title: string } & Omit<StackedBarsProps, "format"> & Pick<BarLineProps, "format">) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <div className={styles.table} tabIndex={0} role="region" aria-label={`Values of ${title}`}>
      <table>
        <thead>
          <tr>
            <th scope="col">{title}</th>
            {parts.map((part) => (
              <th key={part.id} scope="col">
                {part.label}
              </th>
            ))}
            <th scope="col">Capacity</th>
          </tr>
        </thead>
        <tbody>
          {bars.map((bar) => (
            <tr key={bar.id}>
              <th scope="row">{bar.label}</th>
              {parts.map((part) => (
                <td key={part.id}>{format(bar.values[part.id] ?? 0)}</td>
              ))}
              <td>{format(bar.capacity)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function colourOf(parts: readonly Part[], part: Part): string {
  return part.isOther === true ? "var(--series-other)" : colourToken(parts.indexOf(part));
}
