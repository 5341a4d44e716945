/** One change to many jobs: which of them it can be done to, and what became of each. */
import { type ApiError, toApiError } from "@/api/errors";
import type { Job } from "@/api/stream";
import { hasEnded } from "@/ui/status";

export type Change = "cancel" | "retry";

/** Whether the platform would do it now; it has the last word. */
export function canChange(change: Change, job: Job): boolean {
  if (change === "cancel") return !hasEnded(job.phase) && !job.stop_requested;
  return job.phase === "failed" || job.phase === "cancelled";
}

export interface Outcome {
  job: Job;
  /** Null: it was done. */
  error: ApiError | null;
}

/** So many requests at once: the browser has six connections, of which the stream holds one. */
const AT_ONCE = 4;

/**
 * Do it to each of `jobs`, and say how each went; one that is refused stops no other.
 *
 * @param tell Called with each outcome as it comes.
 */
export async function changeAll(
  jobs: readonly Job[],
  change: (job: Job) => Promise<unknown>,
  tell: (outcome: Outcome) => void = () => undefined,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const waiting = [...jobs];
  const work = async () => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      const outcome = await changeOne(job, change);
      outcomes.push(outcome);
      tell(outcome);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, jobs.length) }, work));
  return outcomes;
}

async function changeOne(job: Job, change: (job: Job) => Promise<unknown>): Promise<Outcome> {
  try {
    await change(job);
    return { job, error: null };
  } catch (error) {
    return { job, error: toApiError(error) };
  }
}
