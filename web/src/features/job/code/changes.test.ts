import { expect, it } from "vitest";
import { compareFiles, countChanges, firstFile } from "./changes";

const file = (path: string, checksum = "crc32:1", size = 3) => ({ path, size, checksum });

it("tells added, removed, changed and equal files apart", () => {
  const own = [file("same.py"), file("changed.py", "crc32:2"), file("new.py")];
  const other = [file("same.py"), file("changed.py"), file("gone.py")];
  const files = compareFiles(own, other);
  expect(Object.fromEntries(files.map(({ path, change }) => [path, change]))).toEqual({
    "same.py": "same",
    "changed.py": "changed",
    "new.py": "added",
    "gone.py": "removed",
  });
  expect(countChanges(files)).toEqual({ added: 1, removed: 1, changed: 1, same: 1 });
});

it("opens the file that the command names, else one that a reader would open", () => {
  const files = ["data/x.bin", "README.md", "lib/a.py", "go.py"].map((path) => ({ path }));
  expect(firstFile(files, "python -u ./go.py --lr 1")).toBe("go.py");
  expect(firstFile(files, "make")).toBe("lib/a.py");
  expect(firstFile(files.slice(0, 2), "make")).toBe("README.md");
  expect(firstFile([], "make")).toBeUndefined();
});
