/** Where the lines of a job's log come from: the platform. */
import type { operations } from "@openapi";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { api } from "@/api/client";
import { ApiError, type Problem } from "@/api/errors";
import { sessionEnded, sessionState } from "@/api/session-state";
import type { LogPage, LogReads } from "@/logs/feed";
import type { Chunk } from "@/logs/store";
import type { JobKey } from "../queries";

const LOGS = "/api/v1/projects/{project}/jobs/{job}/logs";

export interface LogRequest extends JobKey {
  attempt: number | undefined;
  /** `driver`, `worker`, a node or one process; all if absent. */
  source: string | undefined;
  /** Only lines with this text. */
  grep: string | undefined;
  ignoreCase: boolean;
}

/** The platform sends at least a comment every 15 s; a connection silent for longer is dead. */
const SILENT_MS = 40_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

export function readsOf(request: LogRequest): LogReads {
  const path = { project: request.project, job: request.job };
  const query = {
    attempt: request.attempt,
    source: request.source === undefined ? undefined : [request.source],
    grep: request.grep,
    ignore_case: request.grep === undefined ? undefined : request.ignoreCase,
  };
  return {
    async total(signal) {
      if (request.grep !== undefined) return 0;
      const { data } = await api.GET(`${LOGS}/sources`, {
        params: { path, query: { attempt: request.attempt } },
        signal,
      });
      const wanted = data?.items.filter(({ source }) => isWanted(source, request.source)) ?? [];
      return wanted.reduce((sum, { lines }) => sum + lines, 0);
    },
    async page(from, limit, signal) {
      return readPage(request, { ...query, ...from, limit }, signal);
    },
    follow: (cursor, receive, signal) => follow(request, cursor, receive, signal),
    again: (error, failures, signal) => whenToTryAgain(error, failures, signal),
  };
}

type PageQuery = NonNullable<operations["read_logs"]["parameters"]["query"]>;

/** One page of lines. */
export async function readPage({ project, job }: JobKey, query: PageQuery, signal?: AbortSignal): Promise<LogPage> {
  const { data } = await api.GET(LOGS, { params: { path: { project, job }, query }, ...(signal && { signal }) });
  if (data === undefined) throw new Error("the platform answered without a page");
  // The API's document names the stream beside the page; without `follow` it is the page.
  return data as unknown as LogPage;
}

/** As the platform understands a source that is asked for. */
export function isWanted(source: string, wanted: string | undefined): boolean {
  if (wanted === undefined || source === wanted) return true;
  if (wanted === "worker") return source !== "driver";
  return source.startsWith(`${wanted}/`);
}

/** One connection to what comes. Says whether the attempt has ended, or the connection broke. */
async function follow(
  request: LogRequest,
  cursor: string,
  receive: (chunk: Chunk, cursor: string | undefined) => void,
  signal: AbortSignal,
): Promise<"ended" | "broken"> {
  const connection = new AbortController();
  const stop = () => connection.abort();
  signal.addEventListener("abort", stop);
  let end: "ended" | "broken" = "broken";
  const parser = createParser({
    onEvent: ({ event, data, id }: EventSourceMessage) => {
      if (connection.signal.aborted) return;
      if (event === "log") receive(JSON.parse(data) as Chunk, id === "" ? undefined : id);
      if (event === "end") end = "ended";
      if (event === "error" && (JSON.parse(data) as Problem).status === 401) sessionEnded();
      if (event === "end" || event === "error") connection.abort();
    },
  });
  try {
    const response = await globalThis.fetch(addressOf(request), {
      headers: { Accept: "text/event-stream", ...(cursor === "" ? {} : { "Last-Event-ID": cursor }) },
      credentials: "same-origin",
      signal: connection.signal,
    });
    if (!response.ok) {
      if (response.status === 401) sessionEnded();
      throw await ApiError.fromResponse(response);
    }
    await readAll(response, (text) => parser.feed(text), connection);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    // The network, or our own end of it: what came so far counts.
  } finally {
    signal.removeEventListener("abort", stop);
    connection.abort();
  }
  return end;
}

async function readAll(response: Response, feed: (text: string) => void, connection: AbortController): Promise<void> {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let silent: ReturnType<typeof setTimeout> | undefined;
  try {
    for (;;) {
      clearTimeout(silent);
      silent = setTimeout(() => connection.abort(), SILENT_MS);
      const { done, value } = await reader.read();
      if (done) return;
      feed(value);
    }
  } finally {
    clearTimeout(silent);
  }
}

function addressOf({ project, job, attempt, source, grep, ignoreCase }: LogRequest): string {
  const query = new URLSearchParams({ follow: "true" });
  if (attempt !== undefined) query.set("attempt", String(attempt));
  if (source !== undefined) query.set("source", source);
  if (grep !== undefined) {
    query.set("grep", grep);
    query.set("ignore_case", String(ignoreCase));
  }
  return `/api/v1/projects/${encodeURIComponent(project)}/jobs/${encodeURIComponent(job)}/logs?${query}`;
}

/** After a pause that grows; after the end of the session, once there is a new one. */
function whenToTryAgain(error: ApiError | null, failures: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(10, failures));
    const isSession = error?.status === 401;
    const timer = isSession ? undefined : setTimeout(done, longest * (0.5 + Math.random() / 2));
    const stop = sessionState.subscribe(() => isSession && sessionState.get() === "active" && done());
    signal.addEventListener("abort", done);
    function done(): void {
      clearTimeout(timer);
      stop();
      signal.removeEventListener("abort", done);
      resolve();
    }
  });
}
