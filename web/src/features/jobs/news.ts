/** Numbers beside the list, in words. Pure. */
import { formatCount } from "@/lib/format";

/** `12 new`, `3 no longer match`: pressing the button shows the list as it is now. */
export function newsInWords(fresh: number, gone: number): string | null {
  const parts = [fresh > 0 ? `${formatCount(fresh)} new` : "", gone > 0 ? `${formatCount(gone)} no longer match` : ""];
  return parts.filter(Boolean).join(", ") || null;
}

/** `10,000+` where the platform stops counting. */
export function countInWords(count: number | undefined, most: number | undefined): string {
  if (count === undefined) return "";
  return most !== undefined && count >= most ? `${formatCount(most)}+` : formatCount(count);
}
