/** The lines of one view of a log: each once, in the order they came, with what is missing said between them. */

/** Lines of one source, as the platform sends them. */
export interface Chunk {
  source: string;
  at: string;
  start: number;
  lines: readonly string[];
  partial: boolean;
}

export interface Line {
  kind: "line" | "partial" | "gap";
  source: string;
  /** Within its source, from 0. Of a gap: the first missing one. */
  number: number;
  text: string;
  /** Milliseconds since 1970. */
  at: number;
}

/** So many lines are kept in memory; beyond, the oldest ones go. */
export const MOST_LINES = 300_000;
const TRIM = 50_000;

export class LogStore {
  /** Complete lines and gaps. Grows at the end; read `version` to see changes. */
  readonly rows: Line[] = [];
  version = 0;
  /** Rows that were removed from the start, ever. */
  trimmed = 0;
  /** Lines known to be before the first row, and not loaded. */
  hiddenBefore = 0;
  private readonly next = new Map<string, number>();
  private readonly unfinished = new Map<string, Line>();
  private readonly listeners = new Set<() => void>();

  /** `contiguous`: all lines are asked for, so that a jump in the numbers means lines that are missing. */
  constructor(
    private readonly contiguous = true,
    private readonly most = MOST_LINES,
  ) {}

  get partials(): Line[] {
    return [...this.unfinished.values()];
  }

  get length(): number {
    return this.rows.length + this.unfinished.size;
  }

  row(index: number): Line | undefined {
    return index < this.rows.length ? this.rows[index] : this.partials[index - this.rows.length];
  }

  get sources(): number {
    return new Set([...this.next.keys(), ...this.unfinished.keys()]).size;
  }

  /** Lines that are there already are left out, so that a chunk may come twice, or overlap. */
  add(chunks: readonly Chunk[]): void {
    for (const chunk of chunks) {
      if (chunk.partial) this.addPartial(chunk);
      else this.addLines(chunk);
    }
    if (this.rows.length > this.most) this.trim(this.rows.length - this.most + Math.min(TRIM, this.most >> 1));
    this.changed();
  }

  /** Lines from before the first row, of one source. */
  prepend(chunks: readonly Chunk[]): void {
    const first = this.rows.find(({ kind }) => kind === "line")?.number ?? 0;
    const lines = chunks.flatMap((chunk) => linesOf(chunk, 0)).filter(({ number }) => number < first);
    this.rows.unshift(...lines);
    this.trimmed -= lines.length;
    this.hiddenBefore = Math.max(0, this.hiddenBefore - lines.length);
    this.changed();
  }

  /** Where the line stands now, or -1. */
  find(source: string, number: number): number {
    return this.rows.findIndex((line) => line.kind === "line" && line.number === number && line.source === source);
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  private addPartial(chunk: Chunk): void {
    const [line] = linesOf(chunk, 0);
    if (line === undefined || line.number < (this.next.get(chunk.source) ?? 0)) return;
    this.unfinished.set(chunk.source, { ...line, kind: "partial" });
  }

  private addLines(chunk: Chunk): void {
    const expected = this.next.get(chunk.source);
    const known = expected === undefined ? 0 : Math.max(0, expected - chunk.start);
    if (known >= chunk.lines.length) return;
    if (this.contiguous && expected !== undefined && chunk.start > expected) this.addGap(chunk, expected);
    for (const line of linesOf(chunk, known)) this.rows.push(line);
    const end = chunk.start + chunk.lines.length;
    this.next.set(chunk.source, end);
    if ((this.unfinished.get(chunk.source)?.number ?? end) < end) this.unfinished.delete(chunk.source);
  }

  private addGap({ source, start, at }: Chunk, expected: number): void {
    const text = String(start - expected);
    this.rows.push({ kind: "gap", source, number: expected, text, at: Date.parse(at) });
  }

  private trim(count: number): void {
    this.rows.splice(0, count);
    this.trimmed += count;
    this.hiddenBefore += count;
  }

  private changed(): void {
    this.version += 1;
    for (const listener of [...this.listeners]) listener();
  }
}

function linesOf(chunk: Chunk, skip: number): Line[] {
  const at = Date.parse(chunk.at);
  return chunk.lines.slice(skip).map((text, index) => ({
    kind: "line",
    source: chunk.source,
    number: chunk.start + skip + index,
    text,
    at,
  }));
}
