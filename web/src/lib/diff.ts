/** Lines of two texts side by side, by the shortest way from one to the other (Myers, 1986). Pure. */

export interface DiffLine {
  kind: "same" | "removed" | "added";
  text: string;
  /** Line numbers from 1; undefined on the side that lacks the line. */
  old?: number;
  new?: number;
}

/** Beyond so many changes the texts have little in common, and all of one is shown against all of the other. */
const MOST_CHANGES = 1000;

export function diffLines(before: string, after: string): DiffLine[] {
  const a = splitLines(before);
  const b = splitLines(after);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const kinds: DiffLine["kind"][] = [
    ...new Array<"same">(start).fill("same"),
    ...script(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...new Array<"same">(end).fill("same"),
  ];
  return numbered(kinds, a, b);
}

function splitLines(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function numbered(kinds: readonly DiffLine["kind"][], a: readonly string[], b: readonly string[]): DiffLine[] {
  let x = 0;
  let y = 0;
  return kinds.map((kind) => {
    if (kind === "removed") {
      x += 1;
      return { kind, text: a[x - 1] ?? "", old: x };
    }
    y += 1;
    if (kind === "added") return { kind, text: b[y - 1] ?? "", new: y };
    x += 1;
    return { kind, text: a[x - 1] ?? "", old: x, new: y };
  });
}

/** What to do from the first line to the last. `reached[k]` is how far into `a` the present number of changes leads on diagonal `k`. */
function script(a: readonly string[], b: readonly string[]): DiffLine["kind"][] {
  const most = Math.min(a.length + b.length, MOST_CHANGES);
  const middle = most + 1;
  const reached = new Int32Array(2 * most + 3);
  const trail: Int32Array[] = [];
  for (let changes = 0; changes <= most; changes += 1) {
    trail.push(reached.slice(middle - changes - 1, middle + changes + 2));
    for (let k = -changes; k <= changes; k += 2) {
      const above = reached[middle + k + 1] ?? 0;
      const left = reached[middle + k - 1] ?? 0;
      let x = isFromAbove(above, left, k, changes) ? above : left + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      reached[middle + k] = x;
      if (x >= a.length && x - k >= b.length) return walkBack(trail, a.length, b.length);
    }
  }
  return [...new Array<"removed">(a.length).fill("removed"), ...new Array<"added">(b.length).fill("added")];
}

function isFromAbove(above: number, left: number, k: number, changes: number): boolean {
  return k === -changes || (k !== changes && left < above);
}

/** `trail[d]` holds what was reached with fewer than `d` changes, on the diagonals from `-d - 1` to `d + 1`. */
function walkBack(trail: readonly Int32Array[], endX: number, endY: number): DiffLine["kind"][] {
  const kinds: DiffLine["kind"][] = [];
  let [x, y] = [endX, endY];
  for (let changes = trail.length - 1; changes >= 0; changes -= 1) {
    const k = x - y;
    const above = trail[changes]?.[k + 1 + changes + 1] ?? 0;
    const left = trail[changes]?.[k - 1 + changes + 1] ?? 0;
    const isAbove = isFromAbove(above, left, k, changes);
    const fromX = isAbove ? above : left;
    const fromY = fromX - (isAbove ? k + 1 : k - 1);
    while (x > fromX && y > fromY && x > 0 && y > 0) {
      kinds.push("same");
      x -= 1;
      y -= 1;
    }
    if (changes > 0) {
      kinds.push(isAbove ? "added" : "removed");
      [x, y] = [fromX, fromY];
    }
  }
  return kinds.reverse();
}

export interface DiffHunk {
  lines: DiffLine[];
  /** Equal lines that are left out before these. */
  skipped: number;
}

/** Only what changed, with `around` equal lines beside it. */
export function hunksOf(lines: readonly DiffLine[], around = 3): DiffHunk[] {
  const near = new Array<boolean>(lines.length).fill(false);
  lines.forEach(({ kind }, index) => {
    if (kind === "same") return;
    near.fill(true, Math.max(0, index - around), Math.min(lines.length, index + around + 1));
  });
  const hunks: DiffHunk[] = [];
  let skipped = 0;
  lines.forEach((line, index) => {
    if (near[index] !== true) {
      skipped += 1;
      return;
    }
    if (index === 0 || near[index - 1] !== true) {
      hunks.push({ lines: [], skipped });
      skipped = 0;
    }
    hunks.at(-1)?.lines.push(line);
  });
  return hunks;
}
