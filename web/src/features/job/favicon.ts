import { useEffect } from "react";
import { type Tone, toneOf } from "@/ui/status";

/** The shapes of `ui/Status`, for the icon of the tab; a colour alone would not do there either. */
const SHAPES: Record<Tone, string> = {
  running: '<circle cx="8" cy="8" r="5" fill="none" stroke="#2f6fd6" stroke-width="3"/>',
  pending:
    '<g fill="none" stroke="#a96a00" stroke-width="2"><circle cx="8" cy="8" r="6"/><path d="M8 4.5V8l2.4 1.8"/></g>',
  succeeded:
    '<circle cx="8" cy="8" r="7" fill="#0f8a73"/><path d="m4.8 8.2 2.2 2.2 4.3-4.4" fill="none" stroke="#fff" stroke-width="2"/>',
  failed: '<path d="M8 1 15.5 14.5H.5Z" fill="#d9382c"/><path d="M8 6v4m0 1.4v1.4" stroke="#fff" stroke-width="1.8"/>',
  cancelled: '<g fill="none" stroke="#7a8494" stroke-width="2"><circle cx="8" cy="8" r="6"/><path d="M5 8h6"/></g>',
  preempted: '<path d="M5.5 2.5 2 6l3.5 3.5M2.4 6h7.1a4 4 0 0 1 0 8H6" fill="none" stroke="#9a4fc2" stroke-width="2"/>',
};
const WORDS: Record<Tone, string> = {
  running: "●",
  pending: "◷",
  succeeded: "✓",
  failed: "▲",
  cancelled: "⊖",
  preempted: "↩",
};

/** The sign of a phase in the title of the tab. */
export function tabMarkOf(phase: string): string {
  return WORDS[toneOf(phase)];
}

/** While the page is shown, the icon of the tab tells the phase. */
export function useStatusIcon(phase: string | undefined): void {
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (link === null || phase === undefined) return undefined;
    const before = link.href;
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">${SHAPES[toneOf(phase)]}</svg>`;
    link.href = `data:image/svg+xml,${encodeURIComponent(svg)}`;
    return () => {
      link.href = before;
    };
  }, [phase]);
}
