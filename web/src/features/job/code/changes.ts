/** How two trees of files differ. Pure. */

export interface CodeFile {
  path: string;
  size: number;
  /** With the size it tells whether two files are equal. */
  checksum: string;
}

export type Change = "added" | "removed" | "changed" | "same";

export interface ComparedFile extends CodeFile {
  change: Change;
}

/** The files of `own`, and those that only `other` has, each with how it differs from `other`. */
export function compareFiles(own: readonly CodeFile[], other: readonly CodeFile[]): ComparedFile[] {
  const before = new Map(other.map((file) => [file.path, file]));
  const here = new Set(own.map(({ path }) => path));
  return [
    ...own.map((file) => ({ ...file, change: changeOf(file, before.get(file.path)) })),
    ...other.filter(({ path }) => !here.has(path)).map((file) => ({ ...file, change: "removed" as const })),
  ];
}

function changeOf(file: CodeFile, before: CodeFile | undefined): Change {
  if (before === undefined) return "added";
  return before.size === file.size && before.checksum === file.checksum ? "same" : "changed";
}

export function countChanges(files: readonly ComparedFile[]): Record<Change, number> {
  const counts = { added: 0, removed: 0, changed: 0, same: 0 };
  for (const { change } of files) counts[change] += 1;
  return counts;
}

/** What to show first: the file that the command names, else one that a reader would open. */
export function firstFile(files: readonly { path: string }[], command: string): string | undefined {
  const paths = files.map(({ path }) => path);
  const words = command.split(/[\s'"]+/).map((word) => word.replace(/^\.\//, ""));
  return (
    words.find((word) => paths.includes(word)) ??
    paths.find((path) => /^(main|train|run)\.py$/.test(path)) ??
    paths.find((path) => path.endsWith(".py")) ??
    paths.find((path) => /^readme/i.test(path)) ??
    paths[0]
  );
}
