import { describe, expect, it } from "vitest";
import { align, type Curve, lonely, oddPlaces, positive, reduce, smooth, summarise, valueAt, within } from "./series";

const curve = (x: number[], y: number[]): Curve => ({ id: "c", label: "loss", x, y });

describe("lonely", () => {
  it("finds what no line leads to: between gaps, and at the ends", () => {
    expect(lonely([1, null, 2, null, 3, 4, null, 5])).toEqual([0, 2, 7]);
    expect(lonely([1, 2, 3])).toEqual([]);
    expect(lonely([7])).toEqual([0]);
    expect(lonely([])).toEqual([]);
  });

  it("looks past places where only another curve has a point", () => {
    expect(lonely([1, undefined, 2, undefined, null, undefined, 3])).toEqual([6]);
  });
});

describe("reduce", () => {
  it("keeps few points as they are", () => {
    expect(reduce(curve([0, 1], [5, 6]), 10)).toMatchObject({ x: [0, 1], middle: [5, 6], isReduced: false });
  });

  it("loses no peak: the lowest and highest of each bucket stay", () => {
    const x = Array.from({ length: 1000 }, (_, index) => index);
    const y = x.map((value) => (value === 503 ? 99 : value === 504 ? -99 : 1));
    const drawn = reduce(curve(x, y), 50);
    expect(drawn.x).toHaveLength(50);
    expect(Math.max(...drawn.high.map(Number))).toBe(99);
    expect(Math.min(...drawn.low.map(Number))).toBe(-99);
    expect(drawn.x).toEqual([...drawn.x].sort((a, b) => a - b));
  });

  it("leaves a gap where nothing is a number", () => {
    expect(reduce(curve([0, 1, 2, 3], [1, Number.NaN, Number.NaN, 4]), 2).middle).toEqual([1, 4]);
    expect(reduce(curve([0, 1], [Number.NaN, 4]), 10).middle).toEqual([null, 4]);
  });
});

it("takes one point more at each side of a range, so that lines reach the edges", () => {
  const part = within(curve([0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5]), { from: 2, to: 3 });
  expect(part.x).toEqual([1, 2, 3, 4]);
});

it("smooths without a bias to the first value, and not at all with weight 0", () => {
  expect(smooth([10, 10, 10], 0.9)).toEqual([10, 10, 10].map((value) => expect.closeTo(value)));
  expect(smooth([1, null, 3], 0)).toEqual([1, null, 3]);
  const [first, gap, last] = smooth([0, null, 10], 0.5);
  expect([first, gap]).toEqual([0, null]);
  expect(last).toBeCloseTo(6.667, 2);
});

it("has no place for zero and below on a logarithmic axis", () => {
  expect(positive([1, 0, -2, null])).toEqual([1, null, null, null]);
});

it("puts curves over one x, and tells a missing point from a gap", () => {
  const [x, one, two] = align([
    { x: [0, 2], columns: [[1, null]] },
    { x: [1, 2], columns: [[5, 6]] },
  ]);
  expect(x).toEqual([0, 1, 2]);
  expect(one).toEqual([1, undefined, null]);
  expect(two).toEqual([undefined, 5, 6]);
});

it("counts what is no finite number, and says where", () => {
  const odd = curve([0, 1, 2, 3], [4, Number.NaN, Number.POSITIVE_INFINITY, 2]);
  expect(oddPlaces(odd)).toEqual([1, 2]);
  expect(summarise(odd)).toEqual({ last: 2, lastX: 3, low: 2, lowX: 3, high: 4, highX: 0, odd: 2 });
  expect(summarise(curve([0], [Number.NaN]))).toBeNull();
});

it("reads the value at or before a place", () => {
  const one = curve([10, 20], [1, 2]);
  expect([9, 10, 19, 20, 99].map((x) => valueAt(one, x))).toEqual([undefined, 1, 1, 2, 2]);
});
