import { createStore, useStore } from "@/lib/store";
import type { TimeMode } from "@/lib/time";

export type Theme = "system" | "light" | "dark";
export type Density = "normal" | "compact";

export interface Preferences {
  theme: Theme;
  times: TimeMode;
  density: Density;
  shortcuts: boolean;
}

/** The inline script of index.html reads the same entry before the first paint. */
const STORED_UNDER = "mlp.preferences";
const DEFAULTS: Preferences = { theme: "system", times: "relative", density: "normal", shortcuts: true };

export const preferences = createStore<Preferences>(read());
preferences.subscribe(write);

export function usePreferences(): Preferences {
  return useStore(preferences);
}

export function setPreference<K extends keyof Preferences>(name: K, value: Preferences[K]): void {
  preferences.set((now) => ({ ...now, [name]: value }));
}

/** Whether the page is dark now; `system` follows the operating system. */
export function resolvedTheme(theme: Theme): "light" | "dark" {
  if (theme !== "system") return theme;
  return globalThis.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** Show the chosen theme, and follow the operating system and other tabs. Returns the end of it. */
export function applyPreferences(): () => void {
  const dark = globalThis.matchMedia("(prefers-color-scheme: dark)");
  const show = () => {
    const root = document.documentElement;
    const { theme, density } = preferences.get();
    root.dataset.theme = resolvedTheme(theme);
    root.dataset.density = density;
  };
  const fromOtherTab = (event: StorageEvent) => {
    if (event.key === STORED_UNDER) preferences.set(read());
  };
  show();
  const stop = preferences.subscribe(show);
  dark.addEventListener("change", show);
  globalThis.addEventListener("storage", fromOtherTab);
  return () => {
    stop();
    dark.removeEventListener("change", show);
    globalThis.removeEventListener("storage", fromOtherTab);
  };
}

function read(): Preferences {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORED_UNDER) ?? "{}");
    return sound(typeof stored === "object" && stored !== null ? stored : {});
  } catch {
    return DEFAULTS; // storage is off, or holds something else: the defaults serve
  }
}

/** Only known values: an older or newer page may have stored others. */
function sound(stored: Partial<Record<keyof Preferences, unknown>>): Preferences {
  const choose = <T>(value: unknown, known: readonly T[], fallback: T) =>
    known.find((one) => one === value) ?? fallback;
  return {
    theme: choose(stored.theme, ["system", "light", "dark"] as const, DEFAULTS.theme),
    times: choose(stored.times, ["utc", "local", "relative"] as const, DEFAULTS.times),
    density: choose(stored.density, ["normal", "compact"] as const, DEFAULTS.density),
    shortcuts: choose(stored.shortcuts, [true, false], DEFAULTS.shortcuts),
  };
}

function write(): void {
  try {
    localStorage.setItem(STORED_UNDER, JSON.stringify(preferences.get()));
  } catch {
    // Storage is off or full: the choice lasts as long as the page.
  }
}
