/** How well `query` finds `text`; 0 = not at all. Words may come in any order; beginnings of words count most. Pure. */
export function score(query: string, text: string): number {
  const wanted = words(query);
  if (wanted.length === 0) return 1;
  const lower = text.toLowerCase();
  let sum = 0;
  for (const word of wanted) {
    const found = scoreOfWord(word, lower);
    if (found === 0) return 0;
    sum += found;
  }
  return sum / wanted.length + 1 / (10 + lower.length);
}

function scoreOfWord(word: string, text: string): number {
  if (text.startsWith(word)) return 4;
  if (new RegExp(`[^\\p{L}\\p{N}]${escapeRegex(word)}`, "u").test(text)) return 3;
  if (text.includes(word)) return 2;
  return isSubsequence(word, text) ? 0.5 : 0;
}

/** `dgts` finds `digits`. */
function isSubsequence(word: string, text: string): boolean {
  let at = -1;
  for (const letter of word) {
    at = text.indexOf(letter, at + 1);
    if (at < 0) return false;
  }
  return word.length > 1;
}

/** Those that match, best first; equals keep their order. */
export function rank<T>(query: string, items: readonly T[], textOf: (item: T) => string, most: number): T[] {
  return items
    .map((item, index) => ({ item, index, value: score(query, textOf(item)) }))
    .filter(({ value }) => value > 0)
    .sort((a, b) => b.value - a.value || a.index - b.index)
    .slice(0, most)
    .map(({ item }) => item);
}

function words(text: string): string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}

function escapeRegex(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
