import type { components } from "@openapi";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { createStore } from "@/lib/store";
import { ApiError, type Problem } from "./errors";
import { sessionEnded } from "./session-state";

export type Job = components["schemas"]["JobRead"];
export type PlatformEvent = components["schemas"]["EventRead"];

export type StreamStatus = { state: "off" | "connecting" | "live" | "reconnecting"; since: number };

/** What the stream tells. `gap`: something may have been missed; read again what is shown. */
export interface StreamListener {
  job?(job: Job): void;
  event?(event: PlatformEvent): void;
  gap?(): void;
}

/** The platform sends at least a comment every 15 s; a connection silent for longer is dead. */
const SILENT_MS = 40_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
/** A hidden tab gives its connection back after a minute: browsers allow only six to one platform. */
const HIDDEN_MS = 60_000;

/** The one live connection of this tab. It resumes behind the last event that it saw. */
export class EventStream {
  readonly status = createStore<StreamStatus>({ state: "off", since: Date.now() });
  private readonly listeners = new Set<StreamListener>();
  private project: string | null = null;
  private cursor: string | null = null;
  private running: AbortController | null = null;
  private hiddenTimer: ReturnType<typeof setTimeout> | undefined;

  /** Follow `project`, or nothing. The connection of another project is closed. */
  follow(project: string | null): void {
    if (project === this.project) return;
    this.project = project;
    this.cursor = null;
    this.restart();
  }

  /** Connect anew behind the last seen event, such as after signing in again. */
  restart(): void {
    this.stop();
    if (this.project !== null) void this.run(this.project);
  }

  subscribe(listener: StreamListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** To be called whenever the tab is shown or hidden. */
  visibilityChanged(hidden: boolean): void {
    clearTimeout(this.hiddenTimer);
    if (hidden) this.hiddenTimer = setTimeout(() => this.stop(), HIDDEN_MS);
    else if (this.running === null) this.restart();
  }

  private stop(): void {
    this.running?.abort();
    this.running = null;
    this.become("off");
  }

  private async run(project: string): Promise<void> {
    const own = new AbortController();
    this.running = own;
    this.become("connecting");
    for (let failures = 0; !own.signal.aborted; ) {
      const before = performance.now();
      const again = await this.connectOnce(project, own.signal);
      if (own.signal.aborted || !again) return;
      failures = performance.now() - before > SILENT_MS ? 0 : failures + 1;
      this.become("reconnecting");
      await pause(waitAfter(failures), own.signal);
    }
  }

  /** One connection until it breaks. Says whether to try again. */
  private async connectOnce(project: string, signal: AbortSignal): Promise<boolean> {
    const connection = new AbortController();
    const stop = () => connection.abort();
    signal.addEventListener("abort", stop);
    try {
      const response = await globalThis.fetch(this.address(project), {
        headers: { Accept: "text/event-stream" },
        credentials: "same-origin",
        signal: connection.signal,
      });
      if (!response.ok) return this.refused(await ApiError.fromResponse(response));
      await this.read(response, connection);
      return true;
    } catch {
      return true; // the network, or our own abort: `run` looks which
    } finally {
      signal.removeEventListener("abort", stop);
      connection.abort();
    }
  }

  private refused(error: ApiError): boolean {
    if (error.status === 401) {
      sessionEnded();
      this.become("off");
      return false;
    }
    if (error.status === 410 || error.status === 422) this.cursor = null; // the place is not known any more
    return error.status !== 403 && error.status !== 404;
  }

  private async read(response: Response, connection: AbortController): Promise<void> {
    if (response.body === null) return;
    const parser = createParser({ onEvent: (message) => this.receive(message, connection) });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let silent: ReturnType<typeof setTimeout> | undefined;
    try {
      for (;;) {
        clearTimeout(silent);
        silent = setTimeout(() => connection.abort(), SILENT_MS);
        const { done, value } = await reader.read();
        if (done) return;
        parser.feed(value);
      }
    } finally {
      clearTimeout(silent);
    }
  }

  private receive(message: EventSourceMessage, connection: AbortController): void {
    if (connection.signal.aborted) return;
    switch (message.event) {
      case "ready":
        this.become("live");
        this.tell((listener) => listener.gap?.());
        break;
      case "event":
        this.tell((listener) => listener.event?.(JSON.parse(message.data) as PlatformEvent));
        break;
      case "job":
        this.tell((listener) => listener.job?.(JSON.parse(message.data) as Job));
        break;
      case "error":
        this.endedByPlatform(JSON.parse(message.data) as Problem);
        connection.abort();
        break;
    }
    if (message.id !== undefined && message.id !== "") this.cursor = message.id;
  }

  /** The access ended while the stream was open; the next connection is answered with the same, or goes on. */
  private endedByPlatform(problem: Problem): void {
    if (problem.code === "not_signed_in") sessionEnded();
  }

  private address(project: string): string {
    const query = new URLSearchParams({ project });
    if (this.cursor !== null) query.set("cursor", this.cursor);
    return `/api/v1/stream?${query}`;
  }

  private tell(call: (listener: StreamListener) => void): void {
    for (const listener of [...this.listeners]) call(listener);
  }

  private become(state: StreamStatus["state"]): void {
    this.status.set((now) => (now.state === state ? now : { state, since: Date.now() }));
  }
}

export const eventStream = new EventStream();

/** Exponential, with some chance, so that many tabs do not come back in the same moment. */
function waitAfter(failures: number): number {
  const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.max(0, failures - 1));
  return longest * (0.5 + Math.random() / 2);
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
