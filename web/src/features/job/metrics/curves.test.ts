import { expect, it } from "vitest";
import type { MetricSeries } from "../queries";
import { curvesOf, filterKeys, groupsOf, isThinned, toNumber } from "./curves";

const at = (second: number) => new Date(Date.UTC(2026, 11, 1, 9, 0, second)).toISOString();
const series = (key: string, points: [step: number, value: number | string, second: number][]): MetricSeries => ({
  key,
  attempt: 1,
  total: points.length,
  points: points.map(([step, value, second]) => ({ step, value: value as number, at: at(second) })),
});

it.each([
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
  [0.5, 0.5],
])("reads the value %s", (value, number) => expect(toNumber(value)).toBe(number));

it("goes by step, by time since the start, or by time of day", () => {
  const sources = [
    {
      label: "value",
      series: [
        series("loss", [
          [1, 0.9, 0],
          [2, 0.5, 10],
        ]),
        series("late", [[5, 1, 30]]),
      ],
    },
  ];
  expect(curvesOf("loss", sources, "step")[0]).toMatchObject({ x: [1, 2], y: [0.9, 0.5] });
  expect(curvesOf("late", sources, "relative")[0]?.x).toEqual([30]);
  expect(curvesOf("loss", sources, "wall")[0]?.x).toEqual([Date.parse(at(0)) / 1000, Date.parse(at(10)) / 1000]);
});

it("shows no zigzag by time when a late step was logged before an early one", () => {
  const sources = [
    {
      label: "value",
      series: [
        series("loss", [
          [1, 0.9, 20],
          [2, 0.5, 10],
        ]),
      ],
    },
  ];
  const [curve] = curvesOf("loss", sources, "wall");
  expect(curve?.x).toEqual([...(curve?.x ?? [])].sort((a, b) => a - b));
});

it("gives each attempt its colour, also where one lacks the metric", () => {
  const sources = [
    { label: "attempt 1", series: [] },
    { label: "attempt 2", series: [series("loss", [[1, 1, 0]])] },
  ];
  expect(curvesOf("loss", sources, "step").map(({ label, colour }) => [label, colour])).toEqual([["attempt 2", 1]]);
});

it("groups names by what stands before the slash, and finds by words", () => {
  expect(groupsOf(["train/loss", "lr", "train/acc", "/odd"])).toEqual([
    { prefix: "", keys: ["lr", "/odd"] },
    { prefix: "train", keys: ["train/loss", "train/acc"] },
  ]);
  expect(filterKeys(["train/loss", "val/loss", "lr"], "LOSS val")).toEqual(["val/loss"]);
});

it("knows when points were left out", () => {
  const whole = series("loss", [[1, 1, 0]]);
  expect(isThinned([whole])).toBe(false);
  expect(isThinned([{ ...whole, total: 5000 }])).toBe(true);
});
