import { memo } from "react";
import { formatCount, plural } from "@/lib/format";
import { formatClock, formatInstant, type Zone } from "@/lib/time";
import { AnsiLine } from "./AnsiLine";
import type { Query } from "./find";
import styles from "./LogView.module.css";
import type { Line } from "./store";

export interface LineLook {
  query: Query;
  times: Zone | null;
  active: number | null;
  showSource: boolean;
  hrefOf: (address: string) => string;
}

/** How a line is named in an address: `driver:12`, counted from 1 as in the view. */
export function lineAddress({ source, number }: Pick<Line, "source" | "number">): string {
  return `${source}:${number + 1}`;
}

export function parseLineAddress(address: string): { source: string; number: number } | null {
  const match = /^(.+):(\d{1,15})$/.exec(address);
  return match?.[1] === undefined ? null : { source: match[1], number: Number(match[2]) - 1 };
}

interface LogRowProps {
  line: Line;
  place: number;
  look: LineLook;
}

export const LogRow = memo(
  function LogRow({ line, place, look }: LogRowProps) {
    if (line.kind === "gap") {
      return (
        <div className={styles.gap} data-row>
          {plural(Number(line.text), "line")} of {line.source} {line.text === "1" ? "is" : "are"} missing here
        </div>
      );
    }
    const { query, times, active, showSource, hrefOf } = look;
    const address = lineAddress(line);
    const at = new Date(line.at);
    return (
      <div
        className={styles.row}
        data-row
        data-active={place === active || undefined}
        data-partial={line.kind === "partial" || undefined}
      >
        <a
          className={styles.number}
          href={hrefOf(address)}
          data-line={address}
          tabIndex={-1}
          aria-label={`Line ${formatCount(line.number + 1)} of ${line.source}`}
        >
          {line.number + 1}
        </a>
        {times !== null && (
          <span className={styles.time} title={formatInstant(at, times)}>
            {formatClock(at, times, true)}
          </span>
        )}
        {showSource && (
          <span className={styles.source} title={line.source} style={{ color: sourceColour(line.source) }}>
            {line.source}
          </span>
        )}
        <span className={styles.text}>
          <AnsiLine text={line.text} query={query} />
        </span>
      </div>
    );
  },
  (before, after) => before.line === after.line && sameLook(before, after),
);

function sameLook(before: LogRowProps, after: LogRowProps): boolean {
  const isActive = ({ place, look }: LogRowProps) => place === look.active;
  const [one, two] = [before.look, after.look];
  return (
    isActive(before) === isActive(after) &&
    one.times === two.times &&
    one.showSource === two.showSource &&
    one.hrefOf === two.hrefOf &&
    one.query.text === two.query.text &&
    one.query.isCaseSensitive === two.query.isCaseSensitive
  );
}

/** A source keeps its colour in every view. */
function sourceColour(source: string): string {
  if (source === "driver") return "var(--text-2)";
  let hash = 0;
  for (const letter of source) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) >>> 0;
  return `var(--ansi-${(hash % 6) + 1})`;
}
