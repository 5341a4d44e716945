import { useEffect, useState } from "react";
import { formatDuration, plural } from "@/lib/format";
import { Panel } from "@/ui/Panel";
import { Status } from "@/ui/Status";
import { Loadable } from "@/ui/states";
import { hasEnded } from "@/ui/status";
import { useJobHref } from "../address";
import type { Attempt, Job } from "../queries";
import styles from "./Timeline.module.css";
import { placeOf, type Row, type SpanKind, type Timeline, timelineOf } from "./timeline";

const WORDS: Record<SpanKind, string> = {
  waiting: "Waited",
  starting: "Started its cluster",
  running: "Ran",
  sealing: "Stored logs and artifacts",
};
const KINDS: readonly SpanKind[] = ["waiting", "starting", "running", "sealing"];

interface TimelinePanelProps {
  job: Job;
  attempts: { data: { items: Attempt[] } | undefined; error: unknown; isFetching: boolean; refetch: () => unknown };
}

/** One bar per attempt, all on one scale. */
export function TimelinePanel({ job, attempts }: TimelinePanelProps) {
  const now = useNow(!hasEnded(job.phase));
  return (
    <Panel title="Timeline" aside={job.attempt > 1 ? plural(job.attempt, "attempt") : undefined}>
      <Loadable query={attempts} what="load the attempts" height={72}>
        {({ items }) => <Bars timeline={timelineOf(job, items, now)} />}
      </Loadable>
    </Panel>
  );
}

function Bars({ timeline }: { timeline: Timeline }) {
  const kinds = KINDS.filter((kind) => timeline.rows.some(({ spans }) => spans.some((span) => span.kind === kind)));
  return (
    <>
      <ol className={styles.rows}>
        {timeline.rows.map((row) => (
          <AttemptBar key={row.attempt} row={row} timeline={timeline} />
        ))}
      </ol>
      <div className={styles.scale}>
        <span>submitted</span>
        <ul aria-label="Legend">
          {kinds.map((kind) => (
            <li key={kind}>
              <i data-kind={kind} aria-hidden="true" />
              {WORDS[kind].toLowerCase()}
            </li>
          ))}
        </ul>
        <span className="numeric">{formatDuration((timeline.to - timeline.from) / 1000)}</span>
      </div>
    </>
  );
}

function AttemptBar({ row, timeline }: { row: Row; timeline: Timeline }) {
  const hrefOf = useJobHref();
  const lengths = row.spans.map(
    ({ kind, from, to, isOpen }) =>
      `${WORDS[kind].toLowerCase()} ${formatDuration((to - from) / 1000)}${isOpen ? " so far" : ""}`,
  );
  return (
    <li>
      <div className={styles.name}>
        {row.attempt === 0 ? (
          <span>Next attempt</span>
        ) : (
          <a href={hrefOf({ tab: "logs", attempt: row.attempt })}>Attempt {row.attempt}</a>
        )}
        <Status phase={row.state} />
      </div>
      <div className={styles.track} aria-hidden="true">
        {row.spans.map((span) => {
          const { left, width } = placeOf(span, timeline);
          return (
            <i
              key={span.kind}
              data-kind={span.kind}
              data-open={span.isOpen || undefined}
              title={`${WORDS[span.kind]} ${formatDuration((span.to - span.from) / 1000)}`}
              style={{ left: `${left}%`, width: `${width}%` }}
            />
          );
        })}
      </div>
      <p className={styles.words}>
        {sentence(lengths)}
        {row.message !== "" && <span> {row.message}</span>}
      </p>
    </li>
  );
}

function sentence(parts: readonly string[]): string {
  const text = parts.join(", ");
  return text === "" ? "" : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** The present, once a second while something grows. */
function useNow(isRunning: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isRunning]);
  return now;
}
