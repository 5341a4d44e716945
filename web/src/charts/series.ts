/** Numbers of a chart before anything is drawn. Pure. */

/** One curve: points by rising `x`. A value that is no finite number is kept, to be marked. */
export interface Curve {
  id: string;
  label: string;
  x: readonly number[];
  y: readonly number[];
  /** A bound such as a memory limit: dashed, without a band or smoothing. */
  isLimit?: boolean;
  /** Place in the palette; its place among the curves if absent. */
  colour?: number;
}

export interface Range {
  from: number;
  to: number;
}

/** A curve as it is drawn: one value per bucket, with the lowest and highest in it. `null` leaves a gap. */
export interface Drawn {
  x: number[];
  middle: (number | null)[];
  low: (number | null)[];
  high: (number | null)[];
  /** Whether buckets hold more than one point, so that a band has something to show. */
  isReduced: boolean;
}

/** The part of `curve` in `range`, with one point more at each side so that lines reach the edges. */
export function within(curve: Curve, range: Range | null): Curve {
  if (range === null) return curve;
  const first = Math.max(0, lowerBound(curve.x, range.from) - 1);
  const last = Math.min(curve.x.length, upperBound(curve.x, range.to) + 1);
  return { ...curve, x: curve.x.slice(first, last), y: curve.y.slice(first, last) };
}

/** At most `buckets` points: of each bucket the mean, and the lowest and highest beside it, so that no peak is lost. */
export function reduce(curve: Curve, buckets: number): Drawn {
  const { x, y } = curve;
  if (x.length <= buckets) {
    const middle = y.map(finite);
    return { x: [...x], middle, low: middle, high: middle, isReduced: false };
  }
  const drawn: Drawn = { x: [], middle: [], low: [], high: [], isReduced: true };
  const size = x.length / buckets;
  for (let bucket = 0; bucket < buckets; bucket += 1) {
    const from = Math.floor(bucket * size);
    const to = Math.max(from + 1, Math.floor((bucket + 1) * size));
    addBucket(drawn, x.slice(from, to), y.slice(from, to).filter(Number.isFinite));
  }
  return drawn;
}

function addBucket(drawn: Drawn, x: readonly number[], values: readonly number[]): void {
  drawn.x.push(x[Math.floor(x.length / 2)] ?? 0);
  drawn.middle.push(values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length);
  drawn.low.push(values.length === 0 ? null : Math.min(...values));
  drawn.high.push(values.length === 0 ? null : Math.max(...values));
}

/** Exponential moving average, freed of its bias to the first value. `weight` 0 changes nothing; gaps stay gaps. */
export function smooth(values: readonly (number | null)[], weight: number): (number | null)[] {
  if (weight <= 0) return [...values];
  let mean = 0;
  let seen = 0;
  return values.map((value) => {
    if (value === null) return null;
    seen += 1;
    mean = mean * weight + value * (1 - weight);
    return mean / (1 - weight ** seen);
  });
}

/** A logarithmic axis has no place for zero and below. */
export function positive(values: readonly (number | null)[]): (number | null)[] {
  return values.map((value) => (value === null || value <= 0 ? null : value));
}

/** All curves over one common x. `undefined`: another curve has a point there, this one has not, and its line goes on. */
export function align(
  curves: readonly { x: readonly number[]; columns: readonly (readonly (number | null)[])[] }[],
): [x: number[], ...columns: (number | null | undefined)[][]] {
  const x = [...new Set(curves.flatMap((curve) => curve.x))].sort((a, b) => a - b);
  const place = new Map(x.map((value, index) => [value, index]));
  const columns = curves.flatMap((curve) =>
    curve.columns.map((values) => {
      const column = new Array<number | null | undefined>(x.length).fill(undefined);
      curve.x.forEach((at, index) => {
        column[place.get(at) ?? 0] = values[index] ?? null;
      });
      return column;
    }),
  );
  return [x, ...columns];
}

/** Values without a neighbour that a line could lead to: between two gaps, or a gap and the end. */
export function lonely(values: readonly (number | null | undefined)[]): number[] {
  const known = values.flatMap((value, index) => (value === undefined ? [] : [{ value, index }]));
  return known.flatMap(({ value, index }, place) => {
    const isAlone = (known[place - 1]?.value ?? null) === null && (known[place + 1]?.value ?? null) === null;
    return value !== null && isAlone ? [index] : [];
  });
}

/** Where a value was not a finite number: loss that ran away, say. */
export function oddPlaces(curve: Curve): number[] {
  return curve.x.filter((_, index) => !Number.isFinite(curve.y[index] ?? 0));
}

export interface Summary {
  last: number;
  lastX: number;
  low: number;
  lowX: number;
  high: number;
  highX: number;
  odd: number;
}

/** The figures of a curve in words' stead; null where it has no finite value. */
export function summarise(curve: Curve): Summary | null {
  let found: Summary | null = null;
  let odd = 0;
  curve.y.forEach((value, index) => {
    const at = curve.x[index] ?? 0;
    if (!Number.isFinite(value)) {
      odd += 1;
      return;
    }
    found ??= { last: value, lastX: at, low: value, lowX: at, high: value, highX: at, odd: 0 };
    if (value < found.low) Object.assign(found, { low: value, lowX: at });
    if (value > found.high) Object.assign(found, { high: value, highX: at });
    Object.assign(found, { last: value, lastX: at });
  });
  return found === null ? null : { ...(found as Summary), odd };
}

/** The value of `curve` at or before `x`; undefined before its first. */
export function valueAt(curve: Curve, x: number): number | undefined {
  return curve.y[upperBound(curve.x, x) - 1];
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

/** First index whose value is not below `wanted`. */
function lowerBound(sorted: readonly number[], wanted: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** First index whose value is above `wanted`. */
function upperBound(sorted: readonly number[], wanted: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
