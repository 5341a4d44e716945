import { useEffect, useRef } from "react";
import { createStore } from "@/lib/store";
import { preferences } from "@/preferences/preferences";

/**
 * One key, or two in a row (`g j`). `mod` stands for Ctrl, or Command on a Mac: `mod+k`. Keys without it are never taken from a
 * field, and can be switched off.
 */
export interface Shortcut {
  keys: string;
  /** What it does, in the imperative, for the sheet that `?` opens. */
  description: string;
  group: string;
  run: () => void;
}

const SEQUENCE_MS = 1200;

export const shortcuts = createStore<readonly Shortcut[]>([]);

export function registerShortcut(shortcut: Shortcut): () => void {
  shortcuts.set((now) => [...now, shortcut]);
  return () => shortcuts.set((now) => now.filter((one) => one !== shortcut));
}

/** While the component is shown, `keys` call `run`. Where two register the same keys, the later one wins. */
export function useShortcut(keys: string, description: string, group: string, run: () => void, enabled = true): void {
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  useEffect(() => {
    if (!enabled) return undefined;
    return registerShortcut({ keys, description, group, run: () => latest.current() });
  }, [keys, description, group, enabled]);
}

/** The one listener of the page. Returns the end of it. */
export function listenForShortcuts(target: Document = document): () => void {
  let pending: { key: string; at: number } | null = null;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return;
    const pressed = pressedKey(event);
    if (pressed === null) return;
    const before = pending !== null && event.timeStamp - pending.at < SEQUENCE_MS ? pending.key : null;
    pending = null;
    const found = find(before, pressed, isTyping(event.target));
    if (found !== null) {
      event.preventDefault();
      found.run();
    } else if (startsSequence(pressed)) {
      pending = { key: pressed, at: event.timeStamp };
    }
  };
  target.addEventListener("keydown", onKeyDown);
  return () => target.removeEventListener("keydown", onKeyDown);
}

function find(before: string | null, pressed: string, typing: boolean): Shortcut | null {
  const usable = shortcuts.get().filter((shortcut) => mayFire(shortcut, typing));
  const sequence = before === null ? undefined : usable.findLast((one) => one.keys === `${before} ${pressed}`);
  return sequence ?? usable.findLast((one) => one.keys === pressed) ?? null;
}

function mayFire(shortcut: Shortcut, typing: boolean): boolean {
  if (shortcut.keys.startsWith("mod+")) return true;
  return !typing && preferences.get().shortcuts && !isDialogOpen();
}

function startsSequence(pressed: string): boolean {
  return shortcuts.get().some((one) => one.keys.startsWith(`${pressed} `));
}

/** A modal dialog has the keyboard to itself. */
function isDialogOpen(): boolean {
  return document.querySelector("dialog[open], [role='dialog'][aria-modal='true']") !== null;
}

function pressedKey(event: KeyboardEvent): string | null {
  if (["Control", "Meta", "Shift", "Alt"].includes(event.key) || event.altKey) return null;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const upper = event.key.length === 1 && event.shiftKey && key !== event.key ? `shift+${key}` : key;
  return event.ctrlKey || event.metaKey ? `mod+${key}` : upper;
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    target.matches("input:not([type=checkbox], [type=radio], [type=button]), textarea, select")
  );
}

/** `mod+k` as the keys that are printed on this keyboard. */
export function keyCaps(keys: string): string[] {
  const mac = /Mac|iPhone|iPad/.test(navigator.platform);
  return keys
    .split(/[ +]/)
    .map((key) => ({ mod: mac ? "⌘" : "Ctrl", shift: "⇧", Enter: "↵", Escape: "Esc" })[key] ?? key.toUpperCase());
}
