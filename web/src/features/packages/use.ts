/** What keeps a package, in words. Pure. */
import { plural } from "@/lib/format";

/** Why it cannot be deleted; null when it can. */
export function whyKept(jobs: number): string | null {
  if (jobs === 0) return null;
  return `Kept: ${plural(jobs, "job")} can be run again from it, also after ${jobs === 1 ? "it" : "they"} ended.`;
}
