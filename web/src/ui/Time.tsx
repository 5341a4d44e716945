import { useSyncExternalStore } from "react";
import { formatDuration } from "@/lib/format";
import { formatInstant, formatRelative } from "@/lib/time";
import { usePreferences } from "@/preferences/preferences";

/** One clock for all relative times of the page, which ticks only while somebody looks. */
const TICK_MS = 1000;
const watchers = new Set<() => void>();
let ticking: ReturnType<typeof setInterval> | undefined;
let second = Math.floor(Date.now() / TICK_MS);

function watch(listener: () => void): () => void {
  watchers.add(listener);
  ticking ??= setInterval(tick, TICK_MS);
  return () => {
    watchers.delete(listener);
    if (watchers.size === 0) {
      clearInterval(ticking);
      ticking = undefined;
    }
  };
}

function tick(): void {
  if (document.hidden) return;
  second = Math.floor(Date.now() / TICK_MS);
  for (const watcher of [...watchers]) watcher();
}

/** What `read` makes of the present second. The component renders again only when that changes. */
function useNow<T extends string | number>(read: (now: Date) => T): T {
  return useSyncExternalStore(watch, () => read(new Date(second * TICK_MS)));
}

/** A moment, as the person chose to read moments; the other forms are in its tooltip. */
export function Time({ at, absolute = false }: { at: string | null | undefined; absolute?: boolean }) {
  const { times } = usePreferences();
  if (at === null || at === undefined) return <span className="numeric">–</span>;
  const moment = new Date(at);
  const zone = times === "local" ? "local" : "utc";
  const full = formatInstant(moment, zone);
  return (
    <time dateTime={at} title={full}>
      {times === "relative" && !absolute ? <Relative moment={moment} /> : full}
    </time>
  );
}

function Relative({ moment }: { moment: Date }) {
  return useNow((now) => formatRelative(moment, now));
}

interface DurationProps {
  /** A known length. */
  seconds?: number | null;
  /** Or since when; it grows until `until`. */
  since?: string | null;
  until?: string | null;
}

/** A length of time; one that goes on counts by itself. */
export function Duration({ seconds, since, until }: DurationProps) {
  if (typeof seconds === "number") return <span className="numeric">{formatDuration(seconds)}</span>;
  if (since === null || since === undefined) return <span className="numeric">–</span>;
  const start = Date.parse(since);
  if (until !== null && until !== undefined) {
    return <span className="numeric">{formatDuration((Date.parse(until) - start) / 1000)}</span>;
  }
  return <Growing start={start} />;
}

function Growing({ start }: { start: number }) {
  const text = useNow((now) => formatDuration(Math.max(0, Math.floor((now.getTime() - start) / 1000))));
  return <span className="numeric">{text}</span>;
}
