/** Bars made of parts, before anything is drawn. Pure. */

/** Whose share a part of a bar is. */
export interface Part {
  id: string;
  label: string;
  /** What belongs to nobody in particular: grey. */
  isOther?: boolean;
}

/** One capacity, and how much of it each part takes. */
export interface Bar {
  id: string;
  label: string;
  capacity: number;
  values: Readonly<Record<string, number>>;
}

export interface Segment {
  part: Part;
  value: number;
  /** Where it starts and how long it is, as shares of the whole bar. */
  from: number;
  width: number;
}

/** Parts beyond so many are joined, since nobody tells more colours apart. */
export const MOST_PARTS = 6;

/** The segments from the start of the bar. A bar that is overdrawn, such as of a pool that shrank, is scaled to what is taken. */
export function laidOut(bar: Bar, parts: readonly Part[]): Segment[] {
  const whole = Math.max(bar.capacity, totalOf(bar));
  if (whole <= 0) return [];
  let from = 0;
  return parts.flatMap((part) => {
    const value = bar.values[part.id] ?? 0;
    if (value <= 0) return [];
    const segment = { part, value, from, width: value / whole };
    from += segment.width;
    return [segment];
  });
}

export function totalOf({ values }: Pick<Bar, "values">): number {
  return Object.values(values).reduce((sum, value) => sum + value, 0);
}

/** `gpu: 6 of 16 in use: vision 4, speech 2.` */
export function sentenceOf(bar: Bar, parts: readonly Part[], format: (value: number) => string): string {
  const shares = parts
    .filter((part) => (bar.values[part.id] ?? 0) > 0)
    .map((part) => `${part.label} ${format(bar.values[part.id] ?? 0)}`);
  const start = `${bar.label}: ${format(totalOf(bar))} of ${format(bar.capacity)} in use`;
  return shares.length === 0 ? `${start}.` : `${start}: ${shares.join(", ")}.`;
}

/** The names that get a colour of their own: the largest shares, in a stable order; the rest is joined as `others`. */
export function largest(shares: Readonly<Record<string, number>>, most = MOST_PARTS): string[] {
  return Object.entries(shares)
    .filter(([, value]) => value > 0)
    .sort(([a, many], [b, few]) => few - many || (a < b ? -1 : 1))
    .slice(0, most)
    .map(([name]) => name)
    .sort();
}
