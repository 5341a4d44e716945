/** What is being written: one job, as fields or as text, kept through reloads of the tab. */
import type { components } from "@openapi";
import { isObject, type Spec, withoutDefaults } from "./schema";

export interface Draft {
  spec: Spec;
  /** The text of the editor where somebody has typed into it; null where it follows from `spec`. */
  text: string | null;
}

export const EMPTY: Draft = { spec: {}, text: null };

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
    return { spec: stored.spec, text: typeof stored.text === "string" ? stored.text : null };
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
