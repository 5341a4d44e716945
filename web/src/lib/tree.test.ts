import { describe, expect, it } from "vitest";
import { type TreeNode, treeOf } from "./tree";

interface Item {
  path: string;
  size: number;
}

const file = (path: string, size = 1): Item => ({ path, size });

/** A tree as indented names. */
function shown(nodes: readonly TreeNode<Item>[], indent = ""): string[] {
  return nodes.flatMap((node) =>
    node.kind === "file"
      ? [`${indent}${node.name}`]
      : [`${indent}${node.name}/`, ...shown(node.children, `${indent}  `)],
  );
}

describe("a tree of paths", () => {
  it("has folders first and everything by name", () => {
    expect(shown(treeOf([file("z.py"), file("a.py"), file("src/m.py"), file("data/x.csv")]))).toEqual([
      "data/",
      "  x.csv",
      "src/",
      "  m.py",
      "a.py",
      "z.py",
    ]);
  });

  it("joins folders that hold nothing but one folder", () => {
    expect(shown(treeOf([file("src/pkg/core/a.py"), file("src/pkg/core/b.py")]))).toEqual([
      "src/pkg/core/",
      "  a.py",
      "  b.py",
    ]);
  });

  it("counts and sums at every depth", () => {
    const [src] = treeOf([file("src/a.py", 10), file("src/deep/b.py", 5), file("top", 100)]);
    expect(src).toMatchObject({ kind: "folder", files: 2, size: 15 });
  });

  it("takes names as they are, also those of Object", () => {
    expect(shown(treeOf([file("__proto__/constructor"), file("<img src=x>/a b")]))).toEqual([
      "<img src=x>/",
      "  a b",
      "__proto__/",
      "  constructor",
    ]);
  });

  it("passes over what names no file", () => expect(treeOf([file(""), file("./"), file("/")])).toEqual([]));
});
