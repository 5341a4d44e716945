import { describe, expect, it } from "vitest";
import { rank, score } from "./match";

const found = (query: string, texts: string[]) => rank(query, texts, (text) => text, 10);

describe("finding by a few letters", () => {
  it("prefers the beginning, then beginnings of words, then anything inside, then letters in order", () => {
    expect(found("jo", ["object", "major objective", "new job", "jobs", "majors x jonas"])).toEqual([
      "jobs",
      "new job",
      "majors x jonas",
      "major objective",
    ]);
    expect(found("dgt", ["digits", "clusters"])).toEqual(["digits"]);
  });

  it("takes words in any order, and needs all of them", () => {
    expect(found("dark theme", ["Theme: dark", "Theme: light"])).toEqual(["Theme: dark"]);
  });

  it("shows all for nothing, in their order", () => {
    expect(found("", ["b", "a"])).toEqual(["b", "a"]);
  });

  it("takes signs of regular expressions as they are", () => {
    expect(score("a.c", "abc")).toBe(0);
    expect(score("(", "f(x)")).toBeGreaterThan(0);
  });
});
