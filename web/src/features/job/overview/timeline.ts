/** When each attempt waited, started, ran and was put away. Pure. */
import type { Attempt, Job } from "../queries";

export type SpanKind = "waiting" | "starting" | "running" | "sealing";

export interface Span {
  kind: SpanKind;
  from: number;
  to: number;
  /** It still grows. */
  isOpen: boolean;
}

export interface Row {
  /** 0: the wait for the next attempt, which has no number yet. */
  attempt: number;
  /** Phase or outcome. */
  state: string;
  message: string;
  spans: Span[];
}

export interface Timeline {
  from: number;
  to: number;
  rows: Row[];
}

const time = (at: string | null | undefined): number | null =>
  at === null || at === undefined ? null : Date.parse(at);

export function timelineOf(job: Job, attempts: readonly Attempt[], now: number): Timeline {
  const from = Date.parse(job.created_at);
  const end = time(job.ended_at);
  const rows: Row[] = [];
  let free = from;
  for (const attempt of attempts) {
    const isCurrent = attempt.number === job.attempt;
    rows.push(attemptRow(attempt, free, isCurrent ? job : null, end ?? now));
    free = time(attempt.ended_at) ?? end ?? now;
  }
  const last = attempts.at(-1);
  const waits = job.phase === "queued" || (last === undefined && job.phase !== "admitted");
  if (waits || last === undefined) {
    rows.push({
      attempt: 0,
      state: job.phase,
      message: job.message,
      spans: [{ kind: "waiting", from: free, to: end ?? now, isOpen: end === null }],
    });
  }
  const to = Math.max(end ?? now, from + 1, ...rows.flatMap(({ spans }) => spans.map((span) => span.to)));
  return { from, to, rows };
}

function attemptRow(attempt: Attempt, free: number, current: Job | null, now: number): Row {
  const created = Date.parse(attempt.created_at);
  const started = time(attempt.started_at);
  const ended = time(attempt.ended_at);
  const end = ended ?? now;
  const spans: Span[] = [];
  const add = (kind: SpanKind, from: number, to: number, isOpen: boolean) => {
    if (to > from || isOpen) spans.push({ kind, from, to: Math.max(from, to), isOpen });
  };
  add("waiting", free, created, false);
  add("starting", created, started ?? end, started === null && ended === null);
  if (started !== null) {
    const sealing = current?.phase === "sealing" && ended === null ? Date.parse(current.phase_since) : null;
    add("running", started, sealing ?? end, ended === null && sealing === null);
    if (sealing !== null) add("sealing", sealing, end, true);
  }
  return {
    attempt: attempt.number,
    state: attempt.outcome ?? attempt.phase,
    message: attempt.failure?.message ?? attempt.message,
    spans,
  };
}

/** Where a span stands in the whole, in percent; never so thin that it cannot be seen. */
export function placeOf(span: Span, { from, to }: Pick<Timeline, "from" | "to">): { left: number; width: number } {
  const whole = Math.max(1, to - from);
  const left = ((span.from - from) / whole) * 100;
  const width = Math.max(0.4, ((span.to - span.from) / whole) * 100);
  return { left: Math.min(left, 99.6), width: Math.min(width, 100 - Math.min(left, 99.6)) };
}
