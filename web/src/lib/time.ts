/** How moments read. Pure: the zone and the present are arguments. 24 hours, and the zone is always printed. */

export type Zone = "utc" | "local";
export type TimeMode = Zone | "relative";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `2026-12-01 09:05:03 UTC`, or with the local offset (`+01:00`). */
export function formatInstant(at: Date, zone: Zone): string {
  if (Number.isNaN(at.getTime())) return "–";
  return `${formatDay(at, zone)} ${formatClock(at, zone)} ${zoneName(at, zone)}`;
}

/** `2026-12-01`. */
export function formatDay(at: Date, zone: Zone): string {
  const [year, month, day] = fields(at, zone);
  return `${year}-${two(month + 1)}-${two(day)}`;
}

/** `09:05:03`, with `.123` where `milliseconds` are wanted. */
export function formatClock(at: Date, zone: Zone, milliseconds = false): string {
  const [, , , hour, minute, second, thousandth] = fields(at, zone);
  const tail = milliseconds ? `.${String(thousandth).padStart(3, "0")}` : "";
  return `${two(hour)}:${two(minute)}:${two(second)}${tail}`;
}

/** `UTC`, or the offset that the local zone has at that moment. */
export function zoneName(at: Date, zone: Zone): string {
  if (zone === "utc") return "UTC";
  const minutes = -at.getTimezoneOffset();
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "−" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** `just now`, `40 s ago`, `5 min ago`, `3 h ago`, `2 d ago`, then the day; `in 5 min` for what comes. */
export function formatRelative(at: Date, now: Date): string {
  const seconds = (now.getTime() - at.getTime()) / 1000;
  if (Number.isNaN(seconds)) return "–";
  const size = Math.abs(seconds);
  if (size < 2) return "just now";
  if (size >= 30 * DAY) return formatDay(at, "utc");
  const text = amount(size);
  return seconds >= 0 ? `${text} ago` : `in ${text}`;
}

function amount(seconds: number): string {
  if (seconds < MINUTE) return `${Math.floor(seconds)} s`;
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min`;
  if (seconds < DAY) return `${Math.floor(seconds / HOUR)} h`;
  return `${Math.floor(seconds / DAY)} d`;
}

function fields(at: Date, zone: Zone): [number, number, number, number, number, number, number] {
  return zone === "utc"
    ? [
        at.getUTCFullYear(),
        at.getUTCMonth(),
        at.getUTCDate(),
        at.getUTCHours(),
        at.getUTCMinutes(),
        at.getUTCSeconds(),
        at.getUTCMilliseconds(),
      ]
    : [
        at.getFullYear(),
        at.getMonth(),
        at.getDate(),
        at.getHours(),
        at.getMinutes(),
        at.getSeconds(),
        at.getMilliseconds(),
      ];
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
