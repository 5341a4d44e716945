/** Metrics across the versions of a model. Pure. */
import type { Version } from "./queries";

type Measured = Pick<Version, "metrics">;

/** All metrics that any version has: those of the most versions first, then by name. */
export function metricNames(versions: readonly Measured[]): string[] {
  const counts = new Map<string, number>();
  for (const { metrics } of versions) {
    for (const name of Object.keys(metrics ?? {})) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].sort(([a, many], [b, few]) => few - many || (a < b ? -1 : 1)).map(([name]) => name);
}

/** The value; what JSON has no number for is written in words (`NaN`, `Infinity`). Undefined where the version lacks it. */
export function measured({ metrics = {} }: Measured, name: string): number | undefined {
  if (!Object.hasOwn(metrics, name)) return undefined;
  return Number(metrics[name]);
}

/** Where `value` lies between the lowest and the highest of all, from 0 to 1; null where nothing can be compared. */
export function placeOf(value: number | undefined, values: readonly (number | undefined)[]): number | null {
  const finite = values.filter((one): one is number => one !== undefined && Number.isFinite(one));
  if (value === undefined || !Number.isFinite(value) || finite.length === 0) return null;
  const low = Math.min(...finite, 0);
  const high = Math.max(...finite, 0);
  return high === low ? 0 : (value - low) / (high - low);
}

/** Newest first: the difference to the version before it that has the metric too. */
export function changeOf(index: number, values: readonly (number | undefined)[]): number | undefined {
  const value = values[index];
  const before = values.slice(index + 1).find((one) => one !== undefined);
  return value === undefined || before === undefined ? undefined : value - before;
}
