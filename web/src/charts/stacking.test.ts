import { describe, expect, it } from "vitest";
import { laidOut, largest, sentenceOf, totalOf } from "./stacking";

const parts = [
  { id: "vision", label: "vision" },
  { id: "speech", label: "speech" },
  { id: "text", label: "text" },
];
const bar = { id: "gpu", label: "gpu", capacity: 16, values: { vision: 4, text: 4 } };

describe("a bar of parts", () => {
  it("lays its parts end to end, those without a share left out", () => {
    expect(laidOut(bar, parts).map(({ part, from, width }) => [part.id, from, width])).toEqual([
      ["vision", 0, 0.25],
      ["text", 0.25, 0.25],
    ]);
  });

  it("is scaled to what is taken where that is more than there is", () => {
    const overdrawn = { ...bar, capacity: 4 };
    expect(laidOut(overdrawn, parts).map(({ width }) => width)).toEqual([0.5, 0.5]);
  });

  it("is empty where there is nothing", () => {
    expect(laidOut({ ...bar, capacity: 0, values: {} }, parts)).toEqual([]);
  });

  it("says its figures", () => {
    expect(totalOf(bar)).toBe(8);
    expect(sentenceOf(bar, parts, String)).toBe("gpu: 8 of 16 in use: vision 4, text 4.");
    expect(sentenceOf({ ...bar, values: {} }, parts, String)).toBe("gpu: 0 of 16 in use.");
  });
});

describe("the largest shares", () => {
  it("are chosen by size and ordered by name, so that colours stay", () => {
    expect(largest({ b: 1, a: 2, c: 3, d: 0 }, 2)).toEqual(["a", "c"]);
    expect(largest({ b: 1, a: 1, c: 1 }, 2)).toEqual(["a", "b"]);
  });
});
