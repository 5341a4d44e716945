import { createStore } from "@/lib/store";

/**
 * Whether the cookie is still good. `expired`: it was, and is not any more; the page stays as it is and the shell asks to sign
 * in again over it, so that nothing typed is lost.
 */
export type SessionState = "unknown" | "active" | "expired" | "absent";

export const sessionState = createStore<SessionState>("unknown");

/** The platform answered 401. */
export function sessionEnded(): void {
  sessionState.set((now) => (now === "active" || now === "expired" ? "expired" : "absent"));
}
