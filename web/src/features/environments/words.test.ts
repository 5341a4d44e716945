import { describe, expect, it } from "vitest";
import type { Environment } from "./queries";
import { pinnedIn, requirementsInWords, titleOf, whyKept } from "./words";

const environment = (over: Partial<Environment>) =>
  ({ name: null, python: "3.11", requirements: [], ...over }) as Environment;

describe("an environment in words", () => {
  it("is called by its name, else by what it is made of", () => {
    expect(titleOf(environment({ name: "boosting", requirements: ["xgboost"] }))).toBe("boosting");
    expect(titleOf(environment({ requirements: ["xgboost==3.2.0"] }))).toBe("xgboost==3.2.0");
    expect(titleOf(environment({ requirements: ["a", "b", "c"] }))).toBe("a and 2 more");
    expect(titleOf(environment({}))).toBe("Python 3.11");
  });

  it("lists the first requirements", () => {
    expect(requirementsInWords([])).toBe("none");
    expect(requirementsInWords(["a", "b", "c"])).toBe("a, b, c");
    expect(requirementsInWords(["a", "b", "c", "d", "e"])).toBe("a, b, c and 2 more");
  });

  it("says why it is kept", () => {
    expect(whyKept(0)).toBeNull();
    expect(whyKept(1)).toContain("1 job refers to it");
    expect(whyKept(3)).toContain("3 jobs refer to it");
  });

  it("counts what a lock pins", () => {
    expect(pinnedIn("# by uv\nnumpy==2.0 \\\n    --hash=sha256:0\n--index-url x\nxgboost==3.2\n")).toBe(2);
  });
});
