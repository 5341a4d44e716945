import { toApiError } from "@/api/errors";
import { createStore } from "@/lib/store";
import { announce } from "./announce";

export interface Notice {
  id: number;
  kind: "done" | "failed";
  text: string;
  /** Such as the hint of an error, or its request id. */
  more?: string | undefined;
}

export const notices = createStore<readonly Notice[]>([]);

const SHOWN_MS = 6000;
const MOST = 4;
let lastId = 0;

/** Say that something was done. It goes away by itself. */
export function notifyDone(text: string): void {
  const id = add({ kind: "done", text });
  setTimeout(() => dismissNotice(id), SHOWN_MS);
}

/** Say that `what` ("cancel job digits") did not work, and why. It stays until it is dismissed. */
export function notifyFailed(what: string, error: unknown): void {
  const { detail, hint, request_id } = toApiError(error);
  const more = [hint, request_id === null || request_id === undefined ? null : `Request ${request_id}`];
  add({ kind: "failed", text: `Could not ${what}: ${detail}`, more: more.filter(Boolean).join(" ") || undefined });
}

export function dismissNotice(id: number): void {
  notices.set((now) => now.filter((notice) => notice.id !== id));
}

function add(notice: Omit<Notice, "id">): number {
  lastId += 1;
  const id = lastId;
  notices.set((now) => [...now, { ...notice, id }].slice(-MOST));
  announce(notice.text);
  return id;
}
