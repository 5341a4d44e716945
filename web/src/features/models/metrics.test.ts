import { describe, expect, it } from "vitest";
import { changeOf, measured, metricNames, placeOf } from "./metrics";

const version = (metrics: Record<string, unknown>) => ({ metrics: metrics as Record<string, number> });

describe("metrics across versions", () => {
  it("offers those of the most versions first", () => {
    expect(metricNames([version({ loss: 1, accuracy: 2 }), version({ accuracy: 1, "a b": 0 })])).toEqual([
      "accuracy",
      "a b",
      "loss",
    ]);
  });

  it("reads what JSON has no number for", () => {
    expect(measured(version({ loss: "NaN" }), "loss")).toBeNaN();
    expect(measured(version({ loss: "-Infinity" }), "loss")).toBe(Number.NEGATIVE_INFINITY);
    expect(measured(version({}), "loss")).toBeUndefined();
    expect(measured(version({}), "constructor")).toBeUndefined();
  });

  it("places a value between zero and the highest", () => {
    expect(placeOf(0.5, [0.5, 1])).toBe(0.5);
    expect(placeOf(-1, [-1, 1])).toBe(0);
    expect(placeOf(0, [0, 0])).toBe(0);
    expect(placeOf(Number.NaN, [1])).toBeNull();
    expect(placeOf(undefined, [1])).toBeNull();
  });

  it("finds the change to the version before that has it", () => {
    expect(changeOf(0, [3, undefined, 1])).toBe(2);
    expect(changeOf(2, [3, undefined, 1])).toBeUndefined();
    expect(changeOf(1, [3, undefined, 1])).toBeUndefined();
  });
});
