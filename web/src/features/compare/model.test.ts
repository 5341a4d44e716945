import type { components } from "@openapi";
import { makeJob } from "@test/make";
import { describe, expect, it } from "vitest";
import { differences, flatten, leafText } from "@/lib/flatten";
import { sectionInWords } from "./CompareTable";
import { keysByUse } from "./MetricChart";
import { bestOf, curvesOf, isLessBetter, metricRows } from "./metrics";
import { codeOf, differs, environmentOf, flagsOf, parametersOf, rowsFrom } from "./model";

type Series = components["schemas"]["MetricSeries"];

function makeSeries(over: Partial<Series> = {}): Series {
  return { key: "accuracy", attempt: 1, points: [], total: 0, last: 0.5, min: 0.1, max: 0.9, ...over };
}

describe("rows of a comparison", () => {
  it("knows which differ, also where one has none", () => {
    const rows = rowsFrom([
      new Map([
        ["a", "1"],
        ["b", "2"],
      ]),
      new Map([["a", "1"]]),
    ]);
    expect(rows.map((row) => [row.name, differs(row)])).toEqual([
      ["a", false],
      ["b", true],
    ]);
  });

  it("reads the flags of a command one by one", () => {
    const flags = flagsOf(["python", "train.py", "--epochs", "5", "--lr=0.1", "--fast", "--delta", "-1", "-x"]);
    expect(Object.fromEntries(flags)).toEqual({
      "--epochs": "5",
      "--lr": "0.1",
      "--fast": "yes",
      "--delta": "-1",
      "-x": "yes",
    });
  });

  it("has the command, its flags, variables and every other field", () => {
    const spec = { entrypoint: "python a.py --lr 1", environment: { variables: { SEED: "7" } }, priority: "high" };
    const found = parametersOf(makeJob({ spec: spec as never }));
    expect(Object.fromEntries(found)).toEqual({
      command: "python a.py --lr 1",
      "--lr": "1",
      $SEED: "7",
      priority: "high",
    });
  });

  it("compares packages of the lock by version", () => {
    const lock =
      "# made by the platform\nNumpy==2.1.0 \\\n    --hash=sha256:aa\ntorch[cu]==2.5.1 ; python_version > '3'\n";
    const found = environmentOf(makeJob({ spec: { environment: { python: "3.11" } } as never }), { lock });
    expect(Object.fromEntries(found)).toEqual({ Python: "3.11", numpy: "2.1.0", torch: "2.5.1" });
  });

  it("compares files by size and checksum", () => {
    const found = codeOf(makeJob(), [{ path: "a.py", size: 12, checksum: "crc32:beef" }]);
    expect(Object.fromEntries(found)).toEqual({ "a.py": "12 B · beef" });
  });

  it.each([
    [0, 0, "none"],
    [3, 0, "the same in all"],
    [3, 2, "2 of 3 differ"],
  ])("says of %i rows and %i differences: %s", (rows, different, words) =>
    expect(sectionInWords(rows, different)).toBe(words),
  );
});

describe("metrics side by side", () => {
  it.each([
    ["loss", true],
    ["val/loss", true],
    ["validationLoss", true],
    ["eval_rmse", true],
    ["accuracy", false],
    ["glossary_hits", false],
  ])("less of %s is better: %s", (key, less) => expect(isLessBetter(key)).toBe(less));

  it("marks the best, unless all are equal", () => {
    expect(bestOf([0.5, 0.9, undefined, 0.9], false)).toEqual([1, 3]);
    expect(bestOf([0.5, 0.9], true)).toEqual([0]);
    expect(bestOf([0.5, 0.5], false)).toEqual([]);
    expect(bestOf([0.5, undefined], false)).toEqual([]);
    expect(bestOf([Number.NaN, 0.5, 0.7], true)).toEqual([1]);
  });

  it("chooses the figure, also one that JSON has no number for", () => {
    const nan = makeSeries({ last: "NaN" as never });
    expect(metricRows([[makeSeries()], [nan], undefined], "last")[0]?.values).toEqual(["0.5", "NaN", undefined]);
    expect(metricRows([[makeSeries()], [makeSeries({ max: 0.95 })]], "best")[0]).toMatchObject({
      values: ["0.9", "0.95"],
      best: [1],
    });
  });

  it("draws each job in the colour of its column, by rising step", () => {
    const at = "2026-12-01T00:00:00Z";
    const points = [
      { step: 2, value: 1, at },
      { step: 1, value: "NaN" as never, at },
    ];
    const curves = curvesOf("accuracy", [
      { id: "a", name: "one", series: [] },
      { id: "b", name: "two", series: [makeSeries({ points })] },
    ]);
    expect(curves).toEqual([{ id: "b", label: "two", x: [1, 2], y: [Number.NaN, 1], colour: 1 }]);
  });

  it("offers first what most jobs have", () => {
    const jobs = [["b", "c"], ["c"]].map((keys, index) => ({
      id: String(index),
      name: "",
      series: keys.map((key) => makeSeries({ key })),
    }));
    expect(keysByUse(jobs)).toEqual(["c", "b"]);
  });
});

describe("leaves", () => {
  it("names elements that have a name, so that their order does not count", () => {
    expect(Object.fromEntries(flatten({ groups: [{ name: "w", cpu: 1 }], on: ["oom"], none: null }))).toEqual({
      "groups.w.name": "w",
      "groups.w.cpu": 1,
      on: ["oom"],
    });
  });

  it("lists what differs, also what one side has not", () => {
    expect(differences({ a: 1, b: 2 }, { b: 3, c: 4 })).toEqual([
      { name: "a", one: 1, other: undefined },
      { name: "b", one: 2, other: 3 },
      { name: "c", one: undefined, other: 4 },
    ]);
    expect(leafText(["a", "b"])).toBe("a b");
  });
});
