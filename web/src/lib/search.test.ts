import { beforeEach, describe, expect, it } from "vitest";
import {
  defineSearch,
  flag,
  ignoredSearch,
  integer,
  listOf,
  oneOf,
  parseSearch,
  stringifySearch,
  text,
} from "./search";

const validate = defineSearch({
  phase: listOf(oneOf(["queued", "failed"])),
  tags: listOf(text()),
  q: text(20),
  line: integer(1, 1_000_000),
  wrap: flag(),
});

beforeEach(() => ignoredSearch.set([]));

describe("the search part of an address", () => {
  it("writes lists with commas and leaves out what is empty", () => {
    expect(stringifySearch({ phase: ["queued", "failed"], q: "", line: undefined, wrap: false })).toBe(
      "?phase=queued,failed",
    );
    expect(stringifySearch({})).toBe("");
  });

  it.each([
    { phase: ["queued", "failed"], line: 12, wrap: true as const },
    { q: "a b&c=d#e%f+g" },
    { tags: ["one, two", "back\\slash", "ünï 数"] },
    { q: "true" },
    { q: "00012" },
  ])("reads back what it wrote: %o", (values) => {
    expect(validate(parseSearch(stringifySearch(values)))).toEqual(values);
    expect(ignoredSearch.get()).toEqual([]);
  });

  it("takes values that the router already has typed", () => {
    expect(validate({ phase: ["failed"], line: 3, wrap: true })).toEqual({ phase: ["failed"], line: 3, wrap: true });
  });

  it("joins a key that is given several times", () => {
    expect(validate(parseSearch("?phase=queued&phase=failed"))).toEqual({ phase: ["queued", "failed"] });
  });

  it.each([
    "?phase=queued,nonsense",
    "?line=-1",
    "?line=1e9",
    "?q=abcdefghijklmnopqrstuvwxyz",
    "?unknown=1",
    "?constructor=1",
    "?__proto__=x",
  ])("ignores what makes no sense and says so: %s", (address) => {
    expect(Object.keys(validate(parseSearch(address)))).toEqual([]);
  });

  it("names what it ignored", () => {
    validate(parseSearch("?phase=nonsense&q=fine"));
    expect(ignoredSearch.get()).toEqual(["phase=nonsense"]);
  });
});
