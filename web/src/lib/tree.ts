/** Paths as a tree of folders. Pure. */

export interface TreeFile<F> {
  kind: "file";
  name: string;
  file: F;
}

export interface TreeFolder<F> {
  kind: "folder";
  /** Its name; of folders that hold nothing but one other folder, all names: `src/mlp`. */
  name: string;
  /** Where it lies, for keys. */
  path: string;
  children: TreeNode<F>[];
  /** Files below it, at any depth. */
  files: number;
  size: number;
}

export type TreeNode<F> = TreeFile<F> | TreeFolder<F>;

interface Sized {
  path: string;
  size: number;
}

/** The tree of `files`: folders first, each by name. */
export function treeOf<F extends Sized>(files: readonly F[]): TreeNode<F>[] {
  const root: TreeFolder<F> = newFolder("", "");
  const folders = new Map<string, TreeFolder<F>>([["", root]]);
  for (const file of files) {
    const parts = file.path.split("/").filter((part) => part !== "" && part !== ".");
    const name = parts.pop();
    if (name === undefined) continue;
    for (const folder of trail(parts, folders)) {
      folder.files += 1;
      folder.size += file.size;
    }
    folders.get(parts.join("/"))?.children.push({ kind: "file", name, file });
  }
  return finish(root).children;
}

/** The folders from the root down to `parts`, made where they are missing. */
function trail<F>(parts: readonly string[], folders: Map<string, TreeFolder<F>>): TreeFolder<F>[] {
  const found: TreeFolder<F>[] = [];
  for (let depth = 0; depth <= parts.length; depth += 1) {
    const path = parts.slice(0, depth).join("/");
    let folder = folders.get(path);
    if (folder === undefined) {
      folder = newFolder(parts[depth - 1] ?? "", path);
      folders.set(path, folder);
      found.at(-1)?.children.push(folder);
    }
    found.push(folder);
  }
  return found;
}

function newFolder<F>(name: string, path: string): TreeFolder<F> {
  return { kind: "folder", name, path, children: [], files: 0, size: 0 };
}

/** Sorts, and joins folders that hold nothing but one folder. */
function finish<F>(folder: TreeFolder<F>): TreeFolder<F> {
  folder.children = folder.children.map((child) => (child.kind === "folder" ? joined(finish(child)) : child));
  folder.children.sort((a, b) => Number(a.kind === "file") - Number(b.kind === "file") || compare(a.name, b.name));
  return folder;
}

function joined<F>(folder: TreeFolder<F>): TreeFolder<F> {
  const [only, ...others] = folder.children;
  if (only?.kind !== "folder" || others.length > 0) return folder;
  return { ...only, name: `${folder.name}/${only.name}` };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
