import { type ReactNode, useMemo } from "react";
import { formatBytes, plural } from "@/lib/format";
import { type TreeNode, treeOf } from "@/lib/tree";
import styles from "./FileTree.module.css";
import { ChevronRight } from "./icons";

interface Sized {
  path: string;
  size: number;
}

interface FileTreeProps<F extends Sized> {
  /** Names it: "Files of the package". */
  label: string;
  files: readonly F[];
  /** In place of the name of a file, such as a link to its content. */
  nameOf?: (file: F, name: string) => ReactNode;
}

/** So many files are shown with all folders open. */
const FEW = 40;

/** Files in their folders. Folders are the browser's own disclosure: Enter and Space open them, the search of the page finds them. */
export function FileTree<F extends Sized>({ label, files, nameOf }: FileTreeProps<F>) {
  const nodes = useMemo(() => treeOf(files), [files]);
  return (
    <div className={styles.tree}>
      <Level nodes={nodes} label={label} open={files.length <= FEW} nameOf={nameOf} />
    </div>
  );
}

interface LevelProps<F extends Sized> {
  nodes: readonly TreeNode<F>[];
  label: string;
  open: boolean;
  nameOf: FileTreeProps<F>["nameOf"];
}

function Level<F extends Sized>({ nodes, label, open, nameOf }: LevelProps<F>) {
  return (
    <ul aria-label={label}>
      {nodes.map((node) =>
        node.kind === "file" ? (
          <li key={`f ${node.file.path}`} className={styles.file}>
            <span className={styles.name} title={node.file.path}>
              {nameOf?.(node.file, node.name) ?? node.name}
            </span>
            <span className={styles.size}>{formatBytes(node.file.size)}</span>
          </li>
        ) : (
          <li key={`d ${node.path}`}>
            <details open={open}>
              <summary className={styles.folder}>
                <ChevronRight aria-hidden="true" />
                <span className={styles.name}>{node.name}/</span>
                <span className={styles.size}>
                  {plural(node.files, "file")}, {formatBytes(node.size)}
                </span>
              </summary>
              <Level nodes={node.children} label={node.path} open={open} nameOf={nameOf} />
            </details>
          </li>
        ),
      )}
    </ul>
  );
}
