/** Searching the lines that are loaded. Pure, but for what one search remembers of the lines that it has seen. */
import { withoutColours } from "./ansi";
import type { LogStore } from "./store";

export interface Query {
  text: string;
  isCaseSensitive: boolean;
}

/** Of one line at most so many are marked: a line may be endless. */
const MOST_MARKS = 200;

/** `[start, end)` of each place in the plain text. */
export function placesIn(plain: string, query: Query): [number, number][] {
  if (query.text === "") return [];
  const haystack = query.isCaseSensitive ? plain : plain.toLowerCase();
  const needle = query.isCaseSensitive ? query.text : query.text.toLowerCase();
  // Lower case can change the length of a text; then places would be those of another one.
  if (haystack.length !== plain.length) return [];
  const places: [number, number][] = [];
  for (
    let at = haystack.indexOf(needle);
    at >= 0 && places.length < MOST_MARKS;
    at = haystack.indexOf(needle, at + needle.length)
  ) {
    places.push([at, at + needle.length]);
  }
  return places;
}

export function matches(text: string, query: Query): boolean {
  const plain = withoutColours(text);
  return query.isCaseSensitive ? plain.includes(query.text) : plain.toLowerCase().includes(query.text.toLowerCase());
}

/** Rows that match, kept up to date as lines come: each line is looked at once. */
export class Search {
  /** Places in `store.rows`, plus `store.trimmed`: such a place stays the same when old lines go. */
  readonly found: number[] = [];
  /** Looked at so far: `[from, to)`. */
  private from: number;
  private to: number;

  constructor(
    private readonly store: LogStore,
    readonly query: Query,
  ) {
    this.from = store.trimmed;
    this.to = store.trimmed;
  }

  update(): readonly number[] {
    const { rows, trimmed } = this.store;
    const end = trimmed + rows.length;
    if (trimmed < this.from) this.found.splice(0, 0, ...this.look(trimmed, this.from));
    if (end > this.to) for (const place of this.look(Math.max(this.to, trimmed), end)) this.found.push(place);
    this.from = trimmed;
    this.to = end;
    const gone = this.found.findIndex((place) => place >= trimmed);
    if (gone !== 0) this.found.splice(0, gone < 0 ? this.found.length : gone);
    return this.found;
  }

  private look(from: number, to: number): number[] {
    const found: number[] = [];
    for (let place = from; place < to; place += 1) {
      const row = this.store.rows[place - this.store.trimmed];
      if (row?.kind === "line" && matches(row.text, this.query)) found.push(place);
    }
    return found;
  }
}

/** The match after (or before) `place`, around the end. */
export function nextMatch(found: readonly number[], place: number, direction: 1 | -1): number | undefined {
  if (direction === 1) return found.find((one) => one > place) ?? found[0];
  return found.findLast((one) => one < place) ?? found.at(-1);
}

const TROUBLE = /\b(error|exception|traceback|fatal|panic|out of memory|killed)\b/i;

/** The first line that speaks of trouble, or -1. */
export function firstTrouble(store: LogStore): number {
  return store.rows.findIndex(({ kind, text }) => kind === "line" && TROUBLE.test(withoutColours(text)));
}
