import { expect, it } from "vitest";
import { markMatches, spansOf, withoutColours } from "./ansi";

const ESC = "\u001b";

it("turns colours into styles and takes the sequences out of the text", () => {
  const line = `plain ${ESC}[1;32mgreen${ESC}[0m end`;
  expect(withoutColours(line)).toBe("plain green end");
  expect(spansOf(line)).toEqual([
    { text: "plain ", style: {} },
    { text: "green", style: { bold: true, foreground: 2 } },
    { text: " end", style: {} },
  ]);
});

it.each([
  ["38;5;9", 9],
  ["38;5;232", "rgb(8 8 8)"],
  ["38;5;196", "rgb(255 0 0)"],
  ["38;2;1;2;3", "rgb(1 2 3)"],
  ["91", 9],
])("reads the colour of %s", (code, colour) => {
  expect(spansOf(`${ESC}[${code}mx`)[0]?.style.foreground).toBe(colour);
});

it.each(["38;5;999", "38", "38;9", "", "255"])(
  "takes the odd sequence '%s' for no colour, and loses no text",
  (code) => {
    const spans = spansOf(`a${ESC}[${code}mb`);
    expect(spans.map(({ text }) => text).join("")).toBe("ab");
    expect(spans.at(-1)?.style.foreground).toBeUndefined();
  },
);

it("marks what was searched for across colours", () => {
  const spans = spansOf(`on${ESC}[31me t${ESC}[0mwo`);
  const pieces = markMatches(spans, [[1, 5]]);
  expect(pieces.filter(({ isMatch }) => isMatch).map(({ text }) => text)).toEqual(["n", "e t"]);
  expect(pieces.map(({ text }) => text).join("")).toBe("one two");
});
