/** How the two axes of a chart read. Pure. */
import { formatDuration, formatNumber } from "@/lib/format";
import { formatClock, formatDay, formatInstant, type Zone } from "@/lib/time";

/** `step`: a count; `wall`: seconds since 1970; `relative`: seconds since the start. */
export type XKind = "step" | "wall" | "relative";

const DAY_SECONDS = 86_400;

/** A place on the x axis in full: for readouts, tables and readers. */
export function xInWords(kind: XKind, value: number, zone: Zone): string {
  if (kind === "step") return `step ${formatNumber(value, 12)}`;
  if (kind === "relative") return formatDuration(value);
  return formatInstant(new Date(value * 1000), zone);
}

/** The ticks of the x axis, short. */
export function xTicks(kind: XKind, ticks: readonly number[], zone: Zone): string[] {
  if (kind === "step") return ticks.map((value) => formatNumber(value, 6));
  if (kind === "relative") return ticks.map((value) => formatDuration(value));
  const isLong = (ticks.at(-1) ?? 0) - (ticks[0] ?? 0) > DAY_SECONDS;
  return ticks.map((value) => {
    const at = new Date(value * 1000);
    return isLong ? formatDay(at, zone).slice(5) : formatClock(at, zone);
  });
}

export function xTitle(kind: XKind, zone: Zone): string {
  if (kind === "step") return "Step";
  return kind === "relative" ? "Time since the start" : `Time, ${zone === "utc" ? "UTC" : "local zone"}`;
}
