import { describe, expect, it } from "vitest";
import { parseSearch, stringifySearch } from "@/lib/search";
import { countInWords, newsInWords } from "./news";
import {
  activeFilters,
  columnsForAddress,
  DEFAULT_COLUMNS,
  filterInWords,
  readJobsSearch,
  toCountQuery,
  toQuery,
  withoutFilters,
} from "./search";

describe("the address of the list", () => {
  it("survives a round trip through the address", () => {
    const search = readJobsSearch({
      q: "a, b",
      phase: ["queued", "running"],
      failure: ["oom"],
      since: "24h",
      until: "2026-12-01T08:00:00Z",
      sort: "-ended_at",
      columns: ["name", "id"],
    });
    expect(readJobsSearch(parseSearch(stringifySearch(search)))).toEqual(search);
  });

  it.each([
    ["since", "yesterday"],
    ["since", "2026-12-01T08:00:00"],
    ["sort", "price"],
    ["phase", "sleeping"],
    ["columns", "name,nonsense"],
  ])("drops %s=%s", (key, value) => {
    expect(readJobsSearch({ [key]: value })).toEqual({});
  });

  it("asks the platform for what is filtered, newest first unless sorted", () => {
    const search = readJobsSearch({ q: " digits ", phase: "failed", by: "ada" });
    expect(toQuery(search)).toMatchObject({
      search: "digits",
      phase: ["failed"],
      created_by: "ada",
      order_by: "-created_at",
    });
    expect(toCountQuery(search)).not.toHaveProperty("phase");
  });

  it("clears filters and keeps how they are shown", () => {
    const search = readJobsSearch({ q: "x", phase: "failed", sort: "name", columns: "name,id" });
    expect(activeFilters(search)).toEqual(["q", "phase"]);
    expect(withoutFilters(search)).toEqual({ sort: "name", columns: ["name", "id"] });
  });

  it("names columns only where they are not the usual ones", () => {
    expect(columnsForAddress(DEFAULT_COLUMNS)).toBeUndefined();
    expect(columnsForAddress(["name", "id"])).toEqual(["name", "id"]);
  });

  it("says each filter in words", () => {
    expect(filterInWords("since", { since: "24h" })).toBe("created in the last 24h");
    expect(filterInWords("failure", { failure: ["user_error", "oom"] })).toBe("failed by user error, oom");
    expect(filterInWords("package", { package: `sha256:${"ab".repeat(32)}` })).toBe("package abababababab");
  });
});

describe("what changed behind the list", () => {
  it.each([
    [0, 0, null],
    [12, 0, "12 new"],
    [0, 3, "3 no longer match"],
    [1, 1, "1 new, 1 no longer match"],
  ])("%i new and %i gone: %j", (fresh, gone, words) => expect(newsInWords(fresh, gone)).toBe(words));

  it("says that there may be more than are counted", () => {
    expect(countInWords(10_000, 10_000)).toBe("10,000+");
    expect(countInWords(7, 10_000)).toBe("7");
    expect(countInWords(undefined, undefined)).toBe("");
  });
});
