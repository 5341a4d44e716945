import { describe, expect, it } from "vitest";
import { ApiError } from "@/api/errors";
import { LogFeed, type LogPage, type LogReads } from "./feed";
import { type Chunk, LogStore } from "./store";

const line = (start: number, ...lines: string[]): Chunk => ({
  source: "driver",
  at: "2026-12-01T09:00:00Z",
  start,
  lines,
  partial: false,
});
const page = (items: Chunk[], over: Partial<LogPage> = {}): LogPage => ({
  items,
  next: null,
  resume: "end",
  complete: true,
  ...over,
});
const texts = (store: LogStore) => store.rows.map(({ text }) => text);

function feedOf(reads: Partial<LogReads>, most = 1000) {
  const store = new LogStore();
  const all: LogReads = {
    total: async () => 0,
    page: async () => page([]),
    follow: async () => "ended",
    again: async () => undefined,
    ...reads,
  };
  return { store, feed: new LogFeed(store, all, most) };
}
const refusal = (status: number) => new ApiError({ title: "No", status, code: "no", detail: "No." });

describe("a log", () => {
  it("of an ended attempt is read page by page", async () => {
    const cursors: (string | undefined)[] = [];
    const { store, feed } = feedOf({
      page: async ({ cursor }) => {
        cursors.push(cursor);
        return cursor === undefined ? page([line(0, "a")], { next: "2" }) : page([line(1, "b")]);
      },
    });
    await feed.run(new AbortController().signal);
    expect(texts(store)).toEqual(["a", "b"]);
    expect(cursors).toEqual([undefined, "2"]);
    expect(feed.state.get()).toEqual({ kind: "ended" });
  });

  it("goes on behind the last place after every break, without a gap or double", async () => {
    const from: string[] = [];
    const { store, feed } = feedOf({
      page: async ({ cursor }) =>
        cursor === undefined
          ? page([line(0, "a")], { resume: "1", complete: false })
          : page([], { resume: cursor, complete: false }),
      follow: async (cursor, receive) => {
        from.push(cursor);
        if (from.length === 1) {
          receive(line(1, "b"), "2");
          receive(line(2, "c"), undefined); // its place was never told: it comes again
          return "broken";
        }
        receive(line(2, "c"), "3");
        return "ended";
      },
    });
    await feed.run(new AbortController().signal);
    expect(texts(store)).toEqual(["a", "b", "c"]);
    expect(from).toEqual(["1", "2"]);
  });

  it("survives a platform that is away, and stops at a refusal", async () => {
    let tries = 0;
    const { store, feed } = feedOf({
      page: async () => {
        tries += 1;
        if (tries < 3) throw ApiError.offline(new Error("away"));
        return page([line(0, "a")]);
      },
    });
    await feed.run(new AbortController().signal);
    expect(texts(store)).toEqual(["a"]);
    const refused = feedOf({ page: () => Promise.reject(refusal(404)) });
    await refused.feed.run(new AbortController().signal);
    expect(refused.feed.state.get()).toMatchObject({ kind: "failed" });
  });

  it("waits for a new session where the old one ended", async () => {
    const waited: (number | undefined)[] = [];
    let tries = 0;
    const { feed } = feedOf({
      page: async () => {
        tries += 1;
        if (tries === 1) throw refusal(401);
        return page([]);
      },
      again: async (error) => {
        waited.push(error?.status);
      },
    });
    await feed.run(new AbortController().signal);
    expect(waited).toEqual([401]);
    expect(feed.state.get().kind).toBe("ended");
  });

  it("of very many lines is read from near its end, and says what is missing", async () => {
    const asked: object[] = [];
    const { store, feed } = feedOf({
      total: async () => 5_000_000,
      page: async (from) => {
        asked.push(from);
        return page([line(4_999_999, "last")]);
      },
    });
    await feed.run(new AbortController().signal);
    expect(asked).toEqual([{ tail: 10_000 }]);
    expect(store.hiddenBefore).toBe(4_990_000);
  });

  it("stops when nobody looks, and goes on where it was when somebody does", async () => {
    const control = new AbortController();
    const from: string[] = [];
    const { store, feed } = feedOf({
      page: async ({ cursor }) =>
        page(cursor === undefined ? [line(0, "a")] : [line(1, "b")], {
          resume: cursor === undefined ? "1" : "2",
          complete: false,
        }),
      follow: async (cursor) => {
        from.push(cursor);
        if (from.length > 1) return "ended";
        control.abort();
        return "broken";
      },
    });
    await feed.run(control.signal);
    expect(texts(store)).toEqual(["a"]);
    await feed.run(new AbortController().signal);
    expect(texts(store)).toEqual(["a", "b"]);
    expect(feed.state.get().kind).toBe("ended");
  });
});
