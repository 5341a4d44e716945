import type { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./errors";
import { sessionState } from "./session-state";
import { eventStream } from "./stream";

export type Credentials = { username: string; password: string } | { token: string } | { link: string };

const SESSION = "/api/v1/session";
const DEVICE = "web browser";

/** Tabs of one browser share the cookie, so what one does to it the others must hear. */
const tabs = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("mlp.session");
type TabMessage = { kind: "signed-in"; username: string } | { kind: "signed-out" };

/** Exchange credentials for a cookie that no script can read. Returns the name of who is signed in. */
export async function signIn(credentials: Credentials): Promise<string> {
  const answer = await send("POST", { ...credentials, device: DEVICE });
  const { username } = (await answer.json()) as { username: string };
  sessionState.set("active");
  tabs?.postMessage({ kind: "signed-in", username } satisfies TabMessage);
  eventStream.restart();
  return username;
}

/** End the session on the platform and in every tab. */
export async function signOut(): Promise<void> {
  try {
    await send("DELETE");
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) throw error;
  }
  tabs?.postMessage({ kind: "signed-out" } satisfies TabMessage);
  leave();
}

/** Follow what other tabs do: sign out with them; start anew when another person signed in. */
export function followOtherTabs(queries: QueryClient, currentUser: () => string | undefined): () => void {
  const onMessage = ({ data }: MessageEvent<TabMessage>) => {
    if (data.kind === "signed-out") {
      leave();
    } else if (currentUser() !== undefined && currentUser() !== data.username) {
      globalThis.location.assign("/");
    } else {
      sessionState.set("active");
      eventStream.restart();
      void queries.invalidateQueries();
    }
  };
  tabs?.addEventListener("message", onMessage);
  return () => tabs?.removeEventListener("message", onMessage);
}

/** A fresh page: nothing that the last person saw stays in memory. */
function leave(): void {
  globalThis.location.assign("/sign-in");
}

async function send(method: "POST" | "DELETE", body?: object): Promise<Response> {
  const init: RequestInit = { method, credentials: "same-origin" };
  if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers = { "Content-Type": "application/json" };
  }
  const response = await globalThis.fetch(SESSION, init).catch((error: unknown) => {
    throw ApiError.offline(error);
  });
  if (!response.ok) throw await ApiError.fromResponse(response);
  return response;
}

/** Where to go after signing in: a path of this origin, never another site. */
export function safeNext(next: string | undefined): string {
  return next !== undefined && /^\/(?![/\\])/.test(next) && !next.startsWith("/sign-in") ? next : "/";
}
