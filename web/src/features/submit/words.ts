/** A command as one shell line, and as a list of arguments. Pure. */
import { quoted } from "./copy-as/shell";

/** The arguments as one line that a shell takes apart into the same ones. */
export function toLine(words: readonly string[]): string {
  return words.map(quoted).join(" ");
}

/** The arguments of a simple line; of one that needs a shell, the shell and the line. */
export function toWords(line: string): string[] {
  const trimmed = line.trim();
  if (trimmed === "") return [];
  if (/["'`$\\|&;<>()*?[\]{}~#!\n]/.test(trimmed)) return ["bash", "-ec", line];
  return trimmed.split(/\s+/);
}
