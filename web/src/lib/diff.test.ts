import { describe, expect, it } from "vitest";
import { diffLines, hunksOf } from "./diff";

const side = (lines: ReturnType<typeof diffLines>, left: boolean) =>
  lines.filter(({ kind }) => kind !== (left ? "added" : "removed")).map(({ text }) => text);

describe("diffLines", () => {
  it.each([
    ["a\nb\nc\n", "a\nx\nc\n", 1, 1],
    ["", "a\n", 0, 1],
    ["a\n", "", 1, 0],
    ["a\nb\n", "b\n", 1, 0],
    ["b\nc\n", "a\nb\nc\nd\n", 0, 2],
    ["same\n", "same", 0, 0],
    ["a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n", 3, 2],
  ])("of %j and %j has the fewest changes, and holds both texts", (before, after, removed, added) => {
    const lines = diffLines(before, after);
    expect(lines.filter(({ kind }) => kind === "removed")).toHaveLength(removed);
    expect(lines.filter(({ kind }) => kind === "added")).toHaveLength(added);
    const plain = (text: string) => text.split("\n").filter((line) => line !== "");
    expect(side(lines, true)).toEqual(plain(before));
    expect(side(lines, false)).toEqual(plain(after));
  });

  it("numbers the lines of both sides", () => {
    expect(diffLines("a\nb\n", "a\nc\n")).toEqual([
      { kind: "same", text: "a", old: 1, new: 1 },
      { kind: "removed", text: "b", old: 2 },
      { kind: "added", text: "c", new: 2 },
    ]);
  });

  it("ends soon for texts that have nothing in common", () => {
    const many = (word: string) => Array.from({ length: 5000 }, (_, index) => `${word} ${index}`).join("\n");
    const lines = diffLines(many("a"), many("b"));
    expect(lines).toHaveLength(10_000);
  });
});

it("shows what changed with a little around it", () => {
  const before = Array.from({ length: 100 }, (_, index) => `line ${index}`);
  const after = before.with(50, "changed");
  const hunks = hunksOf(diffLines(before.join("\n"), after.join("\n")), 2);
  expect(hunks).toHaveLength(1);
  expect(hunks[0]?.skipped).toBe(48);
  expect(hunks[0]?.lines).toHaveLength(6);
});
