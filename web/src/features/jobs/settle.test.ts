import { makeJob } from "@test/make";
import { describe, expect, it } from "vitest";
import { isMissing, mayMatch, settle, stillMatches } from "./settle";

describe("rows that stand", () => {
  it("takes everything at first", () => {
    expect(settle([], ["a", "b"])).toEqual({ shown: ["a", "b"], held: [] });
  });

  it("adds what follows, and holds back what would push rows down", () => {
    expect(settle(["b", "c"], ["new", "b", "between", "c", "d"])).toEqual({
      shown: ["b", "c", "d"],
      held: ["new", "between"],
    });
  });

  it("keeps rows that the platform no longer lists, and their order when it changed", () => {
    expect(settle(["a", "b", "c"], ["c", "a"])).toEqual({ shown: ["a", "b", "c"], held: [] });
  });

  it("is the same list when nothing was added, so that nothing renders", () => {
    const before = ["a", "b"];
    expect(settle(before, ["a", "b"]).shown).toBe(before);
  });

  it("moves nothing even when all rows were replaced", () => {
    expect(settle(["a"], ["x", "y"])).toEqual({ shown: ["a"], held: ["x", "y"] });
  });
});

describe("whether a job would be in the list", () => {
  const job = makeJob({ name: "digits", created_by: "ada", phase: "queued" });

  it.each([
    [{}, true],
    [{ phase: ["queued" as const, "running" as const] }, true],
    [{ phase: ["failed" as const] }, false],
    [{ by: "ada" }, true],
    [{ by: "bob" }, false],
    [{ q: "DIG" }, true],
    [{ q: "dig team=vision" }, true],
    [{ q: "dig other" }, false],
    [{ q: job.id.slice(0, 4) }, true],
    [{ failure: ["oom" as const] }, false],
    [{ until: "2026-12-01T00:00:00Z" }, false],
  ])("%j: %s", (search, expected) => {
    const tagged = { ...job, spec: { ...job.spec, run: { tags: { team: "vision" } } } };
    expect(mayMatch(tagged, search)).toBe(expected);
  });

  it("sees that a job has left by its phase, or for another class of failure", () => {
    const failed = makeJob({ phase: "failed", failure: { class: "oom", message: "No memory.", last_lines: [] } });
    expect(stillMatches(failed, { phase: ["running"] })).toBe(false);
    expect(stillMatches(failed, { failure: ["oom"] })).toBe(true);
    expect(stillMatches(failed, { failure: ["infra"] })).toBe(false);
  });
});

describe("a job that the stream tells of", () => {
  const at = (created_at: string) => makeJob({ id: "job_x", created_at });
  const openedAt = Date.parse("2026-12-01T12:00:00Z");
  const last = makeJob({ id: "job_last", created_at: "2026-12-01T10:00:00Z" });
  const loaded = { ids: new Set(["job_last"]), last, hasMore: true, isNewestFirst: true, openedAt };

  it("is missing where it belongs among the rows that were read", () => {
    expect(isMissing(at("2026-12-01T11:00:00Z"), loaded)).toBe(true);
    expect(isMissing(at("2026-12-01T09:00:00Z"), loaded)).toBe(false);
    expect(isMissing(at("2026-12-01T09:00:00Z"), { ...loaded, hasMore: false })).toBe(true);
    expect(isMissing(last, loaded)).toBe(false);
  });

  it("may stand anywhere in another order, so only one made since counts", () => {
    const byName = { ...loaded, isNewestFirst: false };
    expect(isMissing(at("2026-12-01T11:00:00Z"), byName)).toBe(false);
    expect(isMissing(at("2026-12-01T12:00:01Z"), byName)).toBe(true);
  });
});
