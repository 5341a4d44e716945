/** Environments in words. Pure. */
import { plural, shorten } from "@/lib/format";
import type { Environment } from "./queries";

const SHOWN = 3;
const LONGEST = 60;

/** Its name, or what it is made of. */
export function titleOf({ name, python, requirements }: Environment): string {
  if (name !== null) return name;
  const [first, ...others] = requirements;
  if (first === undefined) return `Python ${python}`;
  return shorten(others.length === 0 ? first : `${first} and ${others.length} more`, LONGEST);
}

/** The first requirements, and how many more. */
export function requirementsInWords(requirements: readonly string[]): string {
  if (requirements.length === 0) return "none";
  const shown = requirements.slice(0, SHOWN).join(", ");
  const more = requirements.length - SHOWN;
  return more > 0 ? `${shown} and ${more} more` : shown;
}

/** Why it cannot be deleted; null when it can. */
export function whyKept(jobs: number): string | null {
  if (jobs === 0) return null;
  return `Kept: ${plural(jobs, "job")} ${jobs === 1 ? "refers" : "refer"} to it. It goes by itself some time after the last of them was removed.`;
}

/** Packages of a lock: lines that pin one, comments and options left out. */
export function pinnedIn(lock: string): number {
  return lock.split("\n").filter((line) => /^[A-Za-z0-9]/.test(line)).length;
}
