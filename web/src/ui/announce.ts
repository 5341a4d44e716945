import { createStore } from "@/lib/store";

/** What the live region of the shell says to people who do not see the screen. */
export const announcement = createStore({ text: "", count: 0 });

/** Have `text` read out, politely. The same text twice is read twice. */
export function announce(text: string): void {
  announcement.set(({ count }) => ({ text, count: count + 1 }));
}
