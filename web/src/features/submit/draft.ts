/** What is being written: one job, as fields or as text, kept through reloads of the tab. */
import type { components } from "@openapi";
import { isObject, type Spec, withoutDefaults } from "./schema";

export interface Draft {
  spec: Spec;
  /** The text of the editor where somebody has typed into it; null where it follows from `spec`. */
  text: string | null;
  /** The text is no job: `spec` is the job as it was before the mistake. */
  isBroken: boolean;
}

/** A job that nobody has typed into yet. */
export function draftOf(spec: Spec): Draft {
  return { spec, text: null, isBroken: false };
}

/** The job to start from when `job` is cloned. A deadline that has passed would only be refused. */
export function cloneOf(spec: components["schemas"]["JobCreate-Output"], now: Date): Spec {
  const { deadline, ...others } = withoutDefaults(spec as unknown as Spec);
  const isAhead = typeof deadline === "string" && Date.parse(deadline) > now.getTime();
  return isAhead ? { ...others, deadline } : others;
}

const STORED_UNDER = "mlp.draft";

/** What was written in this tab and not sent, for the same place. */
export function readDraft(place: string): Draft | null {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(`${STORED_UNDER} ${place}`) ?? "null");
    if (!isObject(stored) || !isObject(stored.spec)) return null;
    const text = typeof stored.text === "string" ? stored.text : null;
    return { spec: stored.spec, text, isBroken: text !== null && stored.isBroken === true };
  } catch {
    return null; // storage is off, or holds something else
  }
}

export function keepDraft(place: string, draft: Draft | null): void {
  try {
    if (draft === null) sessionStorage.removeItem(`${STORED_UNDER} ${place}`);
    else sessionStorage.setItem(`${STORED_UNDER} ${place}`, JSON.stringify(draft));
  } catch {
    // Storage is off or full: the draft lasts as long as the page.
  }
}
