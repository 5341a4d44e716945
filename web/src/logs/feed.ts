/** Fills a `LogStore`: what is stored by pages, then what comes by one stream, through any interruption without a gap or double. */
import { type ApiError, toApiError } from "@/api/errors";
import { createStore } from "@/lib/store";
import type { Chunk, LogStore } from "./store";

export interface LogPage {
  items: Chunk[];
  next?: string | null;
  resume: string;
  complete: boolean;
}

/** Where lines come from. */
export interface LogReads {
  /** How many complete lines there are, of what is asked for. */
  total(signal: AbortSignal): Promise<number>;
  page(from: { cursor?: string; tail?: number }, limit: number, signal: AbortSignal): Promise<LogPage>;
  /** Until the attempt's end (`ended`) or an interruption (`broken`). `receive` gets each chunk with the place behind it, if any. */
  follow(
    cursor: string,
    receive: (chunk: Chunk, cursor: string | undefined) => void,
    signal: AbortSignal,
  ): Promise<"ended" | "broken">;
  /** Resolves when it makes sense to try again after `error` (or a broken connection), the `failures`th in a row. */
  again(error: ApiError | null, failures: number, signal: AbortSignal): Promise<void>;
}

export type FeedState =
  | { kind: "loading" }
  | { kind: "live" }
  | { kind: "reconnecting"; error: ApiError | null }
  | { kind: "ended" }
  | { kind: "failed"; error: ApiError };

const PAGE_LINES = 10_000;
/** Lines that come live are shown together: a chatty job costs ten renderings a second, no more. */
const BATCH_MS = 100;

export class LogFeed {
  readonly state = createStore<FeedState>({ kind: "loading" });
  private cursor: string | undefined;
  private waiting: Chunk[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly store: LogStore,
    private readonly reads: LogReads,
    /** More lines than this, and only the end is loaded. */
    private readonly most: number,
  ) {}

  /** Runs until the log's end, a refusal, or `signal`. */
  async run(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      try {
        const before = this.cursor;
        const end = await this.once(signal);
        if (signal.aborted) return;
        if (end === "ended") {
          this.state.set({ kind: "ended" });
          return;
        }
        failures = this.cursor === before ? failures + 1 : 0;
        this.state.set({ kind: "reconnecting", error: null });
        await this.reads.again(null, failures, signal);
      } catch (thrown) {
        if (signal.aborted) return;
        const error = toApiError(thrown);
        if (!error.isTransient && error.status !== 401) {
          this.state.set({ kind: "failed", error });
          return;
        }
        failures += 1;
        this.state.set({ kind: "reconnecting", error });
        await this.reads.again(error, failures, signal);
      } finally {
        this.flush();
      }
    }
  }

  /** All that is stored, then what comes. */
  private async once(signal: AbortSignal): Promise<"ended" | "broken"> {
    if (await this.catchUp(signal)) return "ended";
    if (signal.aborted) return "broken";
    this.state.set({ kind: "live" });
    return this.reads.follow(this.cursor ?? "", (chunk, cursor) => this.receive(chunk, cursor), signal);
  }

  /** Says whether the attempt has ended and all of it was read. */
  private async catchUp(signal: AbortSignal): Promise<boolean> {
    let tail = await this.tailOnly(signal);
    for (;;) {
      const from = this.cursor === undefined ? { tail } : { cursor: this.cursor };
      const page = await this.reads.page(from, PAGE_LINES, signal);
      if (signal.aborted) return false;
      tail = undefined;
      this.store.add(page.items);
      this.cursor = page.next ?? page.resume;
      if (page.next === null || page.next === undefined) return page.complete;
    }
  }

  private async tailOnly(signal: AbortSignal): Promise<number | undefined> {
    if (this.cursor !== undefined) return undefined;
    const total = await this.reads.total(signal);
    if (total <= this.most) return undefined;
    this.store.hiddenBefore = total - PAGE_LINES;
    return PAGE_LINES;
  }

  private receive(chunk: Chunk, cursor: string | undefined): void {
    this.waiting.push(chunk);
    if (cursor !== undefined) this.cursor = cursor;
    this.timer ??= setTimeout(() => this.flush(), BATCH_MS);
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.waiting.length === 0) return;
    const chunks = this.waiting;
    this.waiting = [];
    this.store.add(chunks);
  }
}
