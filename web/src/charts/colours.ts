/** Colours of curves, from the tokens of the present scheme: a canvas knows no custom properties. */
import { useSyncExternalStore } from "react";

const SERIES = 6;
const DASHES = [[], [6, 3], [2, 3]] as const;

export interface ChartColours {
  series: string[];
  line: string;
  text: string;
  surface: string;
}

export function readColours(): ChartColours {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(name).trim();
  return {
    series: Array.from({ length: SERIES }, (_, index) => token(`--series-${index + 1}`)),
    line: token("--line"),
    text: token("--text-3"),
    surface: token("--surface"),
  };
}

/** Six hues, then the same ones dashed: two curves of one chart never look the same before the eighteenth. */
export function lookOf(index: number): { colour: number; dash: readonly number[] } {
  return { colour: index % SERIES, dash: DASHES[Math.floor(index / SERIES) % DASHES.length] ?? [] };
}

/** For the swatch in a legend, where CSS is at hand. */
export function colourToken(index: number): string {
  return `var(--series-${lookOf(index).colour + 1})`;
}

/** `light` or `dark`, as it changes. */
export function useScheme(): string {
  return useSyncExternalStore(watchScheme, () => document.documentElement.dataset.theme ?? "light");
}

function watchScheme(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => observer.disconnect();
}
