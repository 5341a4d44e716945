/** Colours in log lines. The platform leaves only colour sequences (SGR) in them; everything else is text. Pure. */

export interface Style {
  /** 0 to 15 of the terminal's palette, or a CSS colour. */
  foreground?: number | string;
  background?: number | string;
  bold?: boolean;
  dim?: boolean;
  italic?: boolean;
  underline?: boolean;
  inverse?: boolean;
}

export interface Span {
  text: string;
  style: Style;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what begins a colour
const SEQUENCE = /\u001b\[([0-9;:]*)m/g;
const PLAIN: Style = {};

/** The text as it is read, searched and copied. */
export function withoutColours(text: string): string {
  return text.includes("\u001b") ? text.replace(SEQUENCE, "") : text;
}

export function spansOf(text: string): Span[] {
  if (!text.includes("\u001b")) return [{ text, style: PLAIN }];
  const spans: Span[] = [];
  let style = PLAIN;
  let from = 0;
  for (const match of text.matchAll(SEQUENCE)) {
    if (match.index > from) spans.push({ text: text.slice(from, match.index), style });
    style = applySequence(style, match[1] ?? "");
    from = match.index + match[0].length;
  }
  if (from < text.length) spans.push({ text: text.slice(from), style });
  return spans;
}

function applySequence(before: Style, parameters: string): Style {
  const codes = parameters.split(/[;:]/).map((code) => (code === "" ? 0 : Number(code)));
  let style = before;
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index] ?? 0;
    if (code === 38 || code === 48) {
      const [colour, used] = extended(codes.slice(index + 1));
      if (colour !== undefined) style = { ...style, [code === 38 ? "foreground" : "background"]: colour };
      index += used;
    } else {
      style = applyCode(style, code);
    }
  }
  return style;
}

function applyCode(style: Style, code: number): Style {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 3) return { ...style, italic: true };
  if (code === 4) return { ...style, underline: true };
  if (code === 7) return { ...style, inverse: true };
  if (code === 22) return { ...style, bold: false, dim: false };
  if (code === 23) return { ...style, italic: false };
  if (code === 24) return { ...style, underline: false };
  if (code === 27) return { ...style, inverse: false };
  if (code >= 30 && code <= 37) return { ...style, foreground: code - 30 };
  if (code >= 90 && code <= 97) return { ...style, foreground: code - 82 };
  if (code >= 40 && code <= 47) return { ...style, background: code - 40 };
  if (code >= 100 && code <= 107) return { ...style, background: code - 92 };
  if (code === 39) return without(style, "foreground");
  if (code === 49) return without(style, "background");
  return style;
}

/** `5;n` or `2;r;g;b` behind a 38 or 48: the colour, and how many numbers it took. */
function extended([kind, ...rest]: number[]): [colour: number | string | undefined, used: number] {
  if (kind === 5) return [indexed(rest[0] ?? 0), 2];
  if (kind === 2) {
    const [red, green, blue] = rest.slice(0, 3).map((part) => Math.min(255, Math.max(0, part)));
    return [`rgb(${red ?? 0} ${green ?? 0} ${blue ?? 0})`, 4];
  }
  return [undefined, kind === undefined ? 0 : 1];
}

/** One of the 256: sixteen of the palette, a cube of 6×6×6, a ramp of greys. */
function indexed(index: number): number | string | undefined {
  if (!Number.isInteger(index) || index < 0 || index > 255) return undefined;
  if (index < 16) return index;
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return `rgb(${grey} ${grey} ${grey})`;
  }
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40);
  const cube = index - 16;
  return `rgb(${level(Math.floor(cube / 36))} ${level(Math.floor(cube / 6) % 6)} ${level(cube % 6)})`;
}

function without(style: Style, key: "foreground" | "background"): Style {
  const { [key]: _, ...rest } = style;
  return rest;
}

export interface Piece extends Span {
  /** Part of what was searched for. */
  isMatch: boolean;
}

/** Spans cut where `[start, end)` places of the plain text begin and end. Places rise and do not overlap. */
export function markMatches(spans: readonly Span[], matches: readonly (readonly [number, number])[]): Piece[] {
  if (matches.length === 0) return spans.map((span) => ({ ...span, isMatch: false }));
  const pieces: Piece[] = [];
  let at = 0;
  for (const { text, style } of spans) {
    const end = at + text.length;
    let from = at;
    for (const [start, stop] of matches) {
      if (stop <= from || start >= end) continue;
      if (start > from) pieces.push({ text: text.slice(from - at, start - at), style, isMatch: false });
      const begin = Math.max(start, from);
      const last = Math.min(stop, end);
      pieces.push({ text: text.slice(begin - at, last - at), style, isMatch: true });
      from = last;
    }
    if (from < end) pieces.push({ text: text.slice(from - at), style, isMatch: false });
    at = end;
  }
  return pieces;
}
