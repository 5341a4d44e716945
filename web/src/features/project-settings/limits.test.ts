import { describe, expect, it } from "vitest";
import { limitsOf, textsOf } from "./limits";

describe("limits in a form", () => {
  it("are empty where there is none", () => {
    expect(textsOf({ cpu: 8, gpu: null })).toEqual({ cpu: "8", memory_gib: "", gpu: "", jobs: "" });
  });

  it("come back as they were", () => {
    const limits = { cpu: 8.5, memory_gib: null, gpu: 0, jobs: 20 };
    expect(limitsOf(textsOf(limits))).toEqual({ limits });
  });

  it.each(["-1", "abc", "1e3", "1,5", "NaN"])("do not take %j for a number", (cpu) => {
    expect(limitsOf({ cpu, memory_gib: "", gpu: "", jobs: "" })).toEqual({ wrong: ["cpu"] });
  });

  it("count jobs in whole ones", () => {
    expect(limitsOf({ cpu: "", memory_gib: "", gpu: "", jobs: "1.5" })).toEqual({ wrong: ["jobs"] });
  });
});
