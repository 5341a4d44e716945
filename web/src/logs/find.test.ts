import { expect, it } from "vitest";
import { firstTrouble, matches, nextMatch, placesIn, Search } from "./find";
import { LogStore } from "./store";

const ESC = "\u001b";
const filled = (lines: string[], store = new LogStore(), start = 0) => {
  store.add([{ source: "driver", at: "2026-12-01T09:00:00Z", start, lines, partial: false }]);
  return store;
};

it("finds every place, with and without case, and never inside of a colour", () => {
  expect(placesIn("Loss loss", { text: "loss", isCaseSensitive: false })).toEqual([
    [0, 4],
    [5, 9],
  ]);
  expect(placesIn("Loss loss", { text: "loss", isCaseSensitive: true })).toEqual([[5, 9]]);
  expect(matches(`${ESC}[31mred${ESC}[0m`, { text: "31m", isCaseSensitive: false })).toBe(false);
});

it("marks nothing rather than the wrong place where lower case changes the length", () => {
  expect(placesIn("İstanbul", { text: "stan", isCaseSensitive: false })).toEqual([]);
});

it("goes on finding as lines come, go and are put before", () => {
  const store = filled(["hit", "miss"], new LogStore(true, 4), 10);
  const search = new Search(store, { text: "hit", isCaseSensitive: false });
  expect([...search.update()]).toEqual([0]);
  filled(["hit", "miss"], store, 12);
  expect([...search.update()]).toEqual([0, 2]);
  filled(["hit"], store, 14);
  expect([...search.update()].map((place) => store.rows[place - store.trimmed]?.text)).toEqual(
    store.rows.filter(({ text }) => text === "hit").map(({ text }) => text),
  );
  const early = filled(["hit"], new LogStore(), 5);
  const again = new Search(early, { text: "hit", isCaseSensitive: false });
  again.update();
  early.prepend([{ source: "driver", at: "2026-12-01T09:00:00Z", start: 3, lines: ["hit", "miss"], partial: false }]);
  expect([...again.update()].map((place) => place - early.trimmed)).toEqual([0, 2]);
});

it("goes around the end in both directions", () => {
  const found = [3, 8];
  expect([nextMatch(found, 3, 1), nextMatch(found, 8, 1), nextMatch(found, 3, -1), nextMatch([], 0, 1)]).toEqual([
    8,
    3,
    8,
    undefined,
  ]);
});

it("finds the first line that speaks of trouble", () => {
  expect(firstTrouble(filled(["all fine", "Traceback (most recent call last):", "ValueError"]))).toBe(1);
  expect(firstTrouble(filled(["terrorist", "fine"]))).toBe(-1);
});
