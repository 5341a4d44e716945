/** How numbers read: one way everywhere. Pure. */

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"] as const;

/** `1536` → `1.5 KiB`. Binary units, three significant digits. */
export function formatBytes(bytes: number): string {
  if (!Number.isFinite(bytes)) return "–";
  let value = Math.abs(bytes);
  let unit = 0;
  while (value >= 1023.95 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const digits = unit === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  const text = trimZeros(value.toFixed(digits));
  return `${bytes < 0 ? "−" : ""}${text} ${UNITS[unit]}`;
}

/** `3725` → `1 h 2 min`: the two largest units that matter. */
export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds)) return "–";
  const whole = Math.max(0, Math.round(seconds));
  if (whole === 0) return seconds > 0 ? "<1 s" : "0 s";
  const parts: [number, string][] = [
    [Math.floor(whole / 86_400), "d"],
    [Math.floor((whole % 86_400) / 3600), "h"],
    [Math.floor((whole % 3600) / 60), "min"],
    [whole % 60, "s"],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(" ");
}

/** A measured value in few characters, never as a false zero: `0.0001` → `1e-4`, `0.98215` → `0.9822`. */
export function formatNumber(value: number, digits = 4): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const minus = value < 0 ? "−" : "";
  if (size < 1e-3 || size >= 1e9) {
    const [mantissa = "0", exponent = "0"] = size.toExponential(Math.max(0, digits - 2)).split("e");
    return `${minus}${trimZeros(mantissa)}e${exponent.replace("+", "")}`;
  }
  if (Number.isInteger(value)) return `${minus}${groupThousands(size.toString())}`;
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  const [whole = "0", fraction] = trimZeros(size.toFixed(Math.min(decimals, 8))).split(".");
  return `${minus}${groupThousands(whole)}${fraction === undefined ? "" : `.${fraction}`}`;
}

/** `12345` → `12,345`. */
export function formatCount(value: number): string {
  return `${value < 0 ? "−" : ""}${groupThousands(Math.abs(Math.round(value)).toString())}`;
}

/** `plural(1, "job")` → `1 job`, `plural(3, "job")` → `3 jobs`. */
export function plural(count: number, noun: string, many = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : many}`;
}

/** `sha256:abcdef…` → its first twelve hexadecimal digits. */
export function shortDigest(digest: string): string {
  return digest.replace(/^sha256:/, "").slice(0, 12);
}

/** The first characters of `text`, and an ellipsis where more was there. */
export function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

function trimZeros(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

function groupThousands(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, ",");
}
