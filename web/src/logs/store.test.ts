import { expect, it, vi } from "vitest";
import { type Chunk, LogStore } from "./store";

const chunk = (start: number, lines: string[], over: Partial<Chunk> = {}): Chunk => ({
  source: "driver",
  at: "2026-12-01T09:00:00Z",
  start,
  lines,
  partial: false,
  ...over,
});
const shown = (store: LogStore) => Array.from({ length: store.length }, (_, index) => store.row(index)?.text);

it("shows each line once, however often and overlapping it comes", () => {
  const store = new LogStore();
  store.add([chunk(0, ["a", "b"])]);
  store.add([chunk(0, ["a", "b"]), chunk(1, ["b", "c"]), chunk(3, ["d"])]);
  expect(shown(store)).toEqual(["a", "b", "c", "d"]);
});

it("says how many lines are missing, where all were asked for", () => {
  const store = new LogStore();
  store.add([chunk(0, ["a"]), chunk(5, ["f"])]);
  expect(store.row(1)).toMatchObject({ kind: "gap", number: 1, text: "4" });
  const filtered = new LogStore(false);
  filtered.add([chunk(0, ["a"]), chunk(5, ["f"])]);
  expect(shown(filtered)).toEqual(["a", "f"]);
});

it("replaces an unfinished line by its next state, and by the line it becomes", () => {
  const store = new LogStore();
  store.add([chunk(0, ["start"]), chunk(1, ["10%"], { partial: true })]);
  store.add([chunk(1, ["90%"], { partial: true })]);
  expect(shown(store)).toEqual(["start", "90%"]);
  store.add([chunk(1, ["100%", "done"])]);
  expect(shown(store)).toEqual(["start", "100%", "done"]);
  store.add([chunk(1, ["90%"], { partial: true })]);
  expect(shown(store)).toEqual(["start", "100%", "done"]);
});

it("counts the lines of each source for itself", () => {
  const store = new LogStore();
  store.add([chunk(0, ["d0"]), chunk(0, ["w0"], { source: "n/1" }), chunk(1, ["d1"])]);
  expect(shown(store)).toEqual(["d0", "w0", "d1"]);
  expect(store.sources).toBe(2);
  expect(store.find("n/1", 0)).toBe(1);
});

it("keeps no more than it may, and says how many went", () => {
  const store = new LogStore(true, 100);
  const lines = Array.from({ length: 250 }, (_, index) => `line ${index}`);
  for (let start = 0; start < 250; start += 50) store.add([chunk(start, lines.slice(start, start + 50))]);
  expect(store.rows.length).toBeLessThanOrEqual(100);
  expect(store.trimmed + store.rows.length).toBe(250);
  expect(store.hiddenBefore).toBe(store.trimmed);
  expect(store.rows.at(-1)?.text).toBe("line 249");
});

it("puts earlier lines before the first one, and tells who watches", () => {
  const store = new LogStore();
  store.hiddenBefore = 2;
  store.add([chunk(2, ["c"])]);
  const changed = vi.fn();
  store.subscribe(changed);
  store.prepend([chunk(0, ["a", "b", "c"])]);
  expect(shown(store)).toEqual(["a", "b", "c"]);
  expect(store.hiddenBefore).toBe(0);
  expect(changed).toHaveBeenCalledOnce();
});
