/** From metrics as the platform keeps them to curves of a chart. Pure. */
import type { XKind } from "@/charts/axes";
import type { Curve } from "@/charts/series";
import type { MetricSeries } from "../queries";

export interface Labelled {
  /** Where the series is from, such as `attempt 2`. */
  label: string;
  series: readonly MetricSeries[];
}

/** JSON has no number for these; the platform spells them. */
export function toNumber(value: number | string): number {
  return typeof value === "number" ? value : Number(value);
}

/** One metric of one or several sources: a curve each. `start`: where relative time begins, in seconds. */
export function curvesOf(key: string, sources: readonly Labelled[], xKind: XKind): Curve[] {
  return sources.flatMap(({ label, series }, colour) => {
    const found = series.filter((one) => one.key === key);
    return found.map((one) => ({ id: label, label, colour, ...columnsOf(one, xKind, startOf(series)) }));
  });
}

function columnsOf({ points }: MetricSeries, xKind: XKind, start: number): Pick<Curve, "x" | "y"> {
  const placed = points.map(({ step, at, value }) => {
    const seconds = Date.parse(at) / 1000;
    return { x: xKind === "step" ? step : xKind === "wall" ? seconds : seconds - start, y: toNumber(value) };
  });
  // By step they come in order; by time a late step may stand before an early one.
  if (xKind !== "step") placed.sort((a, b) => a.x - b.x);
  return { x: placed.map(({ x }) => x), y: placed.map(({ y }) => y) };
}

function startOf(series: readonly MetricSeries[]): number {
  let start = Number.POSITIVE_INFINITY;
  for (const { points } of series) {
    for (const { at } of points) start = Math.min(start, Date.parse(at) / 1000);
  }
  return Number.isFinite(start) ? start : 0;
}

export interface Group {
  /** What stands before the first `/`; empty for names without one. */
  prefix: string;
  keys: string[];
}

/** Names by what they begin with, those without a prefix first. */
export function groupsOf(keys: readonly string[]): Group[] {
  const groups = new Map<string, string[]>();
  for (const key of keys) {
    const slash = key.indexOf("/");
    const prefix = slash > 0 ? key.slice(0, slash) : "";
    const group = groups.get(prefix);
    if (group === undefined) groups.set(prefix, [key]);
    else group.push(key);
  }
  return [...groups].map(([prefix, found]) => ({ prefix, keys: found })).sort((a, b) => (a.prefix < b.prefix ? -1 : 1));
}

/** Names that hold every word of `text`. */
export function filterKeys(keys: readonly string[], text: string): string[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return keys.filter((key) => words.every((word) => key.toLowerCase().includes(word)));
}

/** Whether `total` points were thinned to what is drawn, so that the page can say so. */
export function isThinned(series: readonly MetricSeries[]): boolean {
  return series.some(({ total, points }) => total > points.length);
}
