/** Nested values as names and leaves, for comparing and for lists of changes. Pure. */

export type Leaves = ReadonlyMap<string, unknown>;

/** `{a: {b: 1}, c: [2]}` → `a.b = 1`, `c.0 = 2`. Lists of plain values stay whole, as one leaf. Empty ones are left out. */
export function flatten(value: unknown): Leaves {
  const leaves = new Map<string, unknown>();
  walk(value, "", leaves);
  return leaves;
}

function walk(value: unknown, name: string, leaves: Map<string, unknown>): void {
  if (value === null || value === undefined) return;
  if (Array.isArray(value) && !value.every(isPlain)) {
    value.forEach((item, index) => {
      walk(item, join(name, itemName(item, index)), leaves);
    });
  } else if (Array.isArray(value)) {
    if (value.length > 0) leaves.set(name, value);
  } else if (typeof value === "object") {
    for (const [key, inner] of Object.entries(value)) walk(inner, join(name, key), leaves);
  } else {
    leaves.set(name, value);
  }
}

/** An element with a name goes by it, so that lists in another order compare well. */
function itemName(item: unknown, index: number): string {
  const named = item as { name?: unknown } | null;
  return typeof named?.name === "string" ? named.name : String(index);
}

function join(name: string, key: string): string {
  return name === "" ? key : `${name}.${key}`;
}

function isPlain(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

/** A leaf as text: a list of words as they would be typed one after the other. */
export function leafText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(String).join(" ");
  return String(value);
}

export interface Difference {
  name: string;
  /** Undefined where that side has none. */
  one: unknown;
  other: unknown;
}

/** Leaves in which two values differ, in the order of the first, then of the second. */
export function differences(one: unknown, other: unknown): Difference[] {
  const [left, right] = [flatten(one), flatten(other)];
  const names = [...left.keys(), ...[...right.keys()].filter((name) => !left.has(name))];
  return names
    .map((name) => ({ name, one: left.get(name), other: right.get(name) }))
    .filter((pair) => leafText(pair.one) !== leafText(pair.other));
}
