/**
 * The search part of an address: short, readable, and stable, since links outlive code.
 *
 * `{phase: ["queued", "failed"], q: "a b", page: 2}` ⇄ `?phase=queued,failed&q=a+b&page=2`. A comma inside of an element is
 * written `\,`. Reading yields strings; what they mean is said once per page by a `defineSearch`.
 */

import { createStore } from "./store";

/** For the router: what is written into the address. Empty and undefined values are left out. */
export function stringifySearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(search)) {
    const text = asText(value);
    if (text !== undefined && text !== "") params.append(key, text);
  }
  const text = params.toString().replaceAll("%2C", ",").replaceAll("%3A", ":").replaceAll("%2F", "/");
  return text === "" ? "" : `?${text}`;
}

/** For the router: the raw values by key; of a repeated key all, joined. */
export function parseSearch(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [key, value] of new URLSearchParams(text)) {
    const before = found[key];
    found[key] = before === undefined ? value : `${before},${value}`;
  }
  return found;
}

function asText(value: unknown): string | undefined {
  if (value === undefined || value === null || value === false) return undefined;
  if (value === true) return "1";
  if (Array.isArray(value)) return value.map((item) => String(item).replace(/[\\,]/g, "\\$&")).join(",");
  return String(value);
}

/** Reads one value; undefined when it makes no sense. */
export type Codec<T> = (raw: unknown) => T | undefined;

/** Any text up to `longest` characters. */
export function text(longest = 500): Codec<string> {
  return (raw) => {
    const value = scalar(raw);
    return value !== undefined && value.length <= longest ? value : undefined;
  };
}

/** One of a few words. */
export function oneOf<const T extends string>(words: readonly T[]): Codec<T> {
  return (raw) => words.find((word) => word === raw);
}

/** A whole number within bounds. */
export function integer(lowest: number, highest: number): Codec<number> {
  return (raw) => {
    const value = scalar(raw);
    if (value === undefined || !/^-?\d{1,15}$/.test(value)) return undefined;
    const number = Number(value);
    return number >= lowest && number <= highest ? number : undefined;
  };
}

/** Present or absent. */
export function flag(): Codec<true> {
  return (raw) => (raw === true || raw === "1" || raw === "true" ? true : undefined);
}

/** Several values, each read by `item`; one that makes no sense spoils the list. */
export function listOf<T>(item: Codec<T>, most = 100): Codec<T[]> {
  return (raw) => {
    const pieces = Array.isArray(raw) ? raw : splitList(scalar(raw) ?? "");
    const values = pieces.map(item);
    const sound = values.length > 0 && values.length <= most && values.every((value) => value !== undefined);
    return sound ? (values as T[]) : undefined;
  };
}

function scalar(raw: unknown): string | undefined {
  if (typeof raw === "string") return raw;
  return typeof raw === "number" ? String(raw) : undefined;
}

function splitList(raw: string): string[] {
  return (raw.match(/(?:\\.|[^,\\])+/g) ?? []).map((piece) => piece.replace(/\\(.)/g, "$1"));
}

type Shape = Record<string, Codec<unknown>>;
type Values<S extends Shape> = { [K in keyof S]?: S[K] extends Codec<infer T> ? T : never };

/** Parts of the address that were not understood and are ignored; the shell shows them. */
export const ignoredSearch = createStore<readonly string[]>([]);

/** The `validateSearch` of a route: known keys with sound values; the rest is dropped with a notice. */
export function defineSearch<S extends Shape>(shape: S): (raw: Record<string, unknown>) => Values<S> {
  return (raw) => {
    const values: Record<string, unknown> = {};
    const ignored: string[] = [];
    for (const [key, value] of Object.entries(raw)) {
      if (value === undefined || value === "") continue;
      const read = Object.hasOwn(shape, key) ? shape[key]?.(value) : undefined;
      if (read === undefined) ignored.push(`${key}=${String(value)}`);
      else values[key] = read;
    }
    if (ignored.length > 0) ignoredSearch.set(ignored);
    return values as Values<S>;
  };
}
