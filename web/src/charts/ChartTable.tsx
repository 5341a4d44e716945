import { useMemo } from "react";
import { formatCount } from "@/lib/format";
import { align, type Curve } from "./series";
import styles from "./TimeSeries.module.css";

interface ChartTableProps {
  title: string;
  curves: readonly Curve[];
  xName: string;
  xInWords: (x: number) => string;
  format: (value: number) => string;
}

const MOST_ROWS = 500;

/** The values of a chart for those who read rather than look. Of very many rows every so many, and it says so. */
export function ChartTable({ title, curves, xName, xInWords, format }: ChartTableProps) {
  const [x, ...columns] = useMemo(() => align(curves.map((curve) => ({ x: curve.x, columns: [curve.y] }))), [curves]);
  const every = Math.max(1, Math.ceil(x.length / MOST_ROWS));
  const rows = x
    .map((at, index) => ({ at, index }))
    .filter(({ index }) => index % every === 0 || index === x.length - 1);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <div className={styles.table} tabIndex={0} role="region" aria-label={`Values of ${title}`}>
      <table>
        <caption>
          {every === 1 ? `${formatCount(rows.length)} rows` : `Every ${every}th of ${formatCount(x.length)} rows`}
        </caption>
        <thead>
          <tr>
            <th scope="col">{xName}</th>
            {curves.map((curve) => (
              <th key={curve.id} scope="col">
                {curve.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ at, index }) => (
            <tr key={at}>
              <th scope="row">{xInWords(at)}</th>
              {columns.map((column, position) => (
                <td key={curves[position]?.id}>{cell(column[index], format)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function cell(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? "" : format(value);
}
