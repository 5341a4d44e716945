/** Keeps rows where they stand while the list changes behind them. Pure. */
import type { Job } from "@/api/stream";
import type { JobsSearch } from "./search";

export interface Settled {
  shown: readonly string[];
  /** They belong between rows that stand already, and would move them. */
  held: readonly string[];
}

/** The rows `latest`, of which `before` are on the screen: those stay, what follows them is added, all else is held back. */
export function settle(before: readonly string[], latest: readonly string[]): Settled {
  const known = new Set(before);
  const lastKnown = latest.findLastIndex((id) => known.has(id));
  if (before.length > 0 && lastKnown < 0) return { shown: before, held: latest };
  const added = latest.slice(lastKnown + 1);
  return {
    shown: added.length === 0 ? before : [...before, ...added],
    held: latest.slice(0, lastKnown + 1).filter((id) => !known.has(id)),
  };
}

/** Whether a job would be in the list, as far as can be told here; words are looked for in the name, the id and the tags. */
export function mayMatch(job: Job, search: JobsSearch): boolean {
  return stillMatches(job, search) && matchesForGood(job, search);
}

export interface Loaded {
  ids: ReadonlySet<string>;
  /** The last row that was read. */
  last: Job | undefined;
  hasMore: boolean;
  isNewestFirst: boolean;
  /** When the list was opened. */
  openedAt: number;
}

/** Seconds by which the clocks of the browser and the platform may differ. */
const SKEW_MS = 60_000;

/** Whether a matching job is missing among the rows that were read, and not merely on a page that was not. */
export function isMissing(job: Job, { ids, last, hasMore, isNewestFirst, openedAt }: Loaded): boolean {
  if (ids.has(job.id)) return false;
  if (!hasMore || last === undefined) return true;
  const created = Date.parse(job.created_at);
  return created >= (isNewestFirst ? Date.parse(last.created_at) : openedAt - SKEW_MS);
}

/** Of the filters that a job can leave by itself: its phase, and why it failed. */
export function stillMatches(job: Job, { phase, failure }: JobsSearch): boolean {
  if (phase !== undefined && !phase.includes(job.phase)) return false;
  return failure === undefined || (job.failure != null && failure.includes(job.failure.class));
}

function matchesForGood(job: Job, search: JobsSearch): boolean {
  if (search.kind !== undefined && !search.kind.includes(job.kind)) return false;
  if (search.by !== undefined && search.by !== job.created_by) return false;
  if (search.package !== undefined && search.package !== job.package) return false;
  if (search.cluster !== undefined && search.cluster !== job.spec.cluster) return false;
  if (search.until !== undefined) return false; // what is new was made after it
  return words(search.q).every((word) => holds(job, word));
}

function holds(job: Job, word: string): boolean {
  const tags = Object.entries(job.spec.run?.tags ?? {}).flatMap(([tag, value]) => [tag, value, `${tag}=${value}`]);
  return [job.name, ...tags].some((text) => text.toLowerCase().includes(word)) || job.id.toLowerCase().startsWith(word);
}

function words(text: string | undefined): string[] {
  return (text ?? "").toLowerCase().split(/\s+/).filter(Boolean);
}
