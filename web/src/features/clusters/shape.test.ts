import { describe, expect, it } from "vitest";
import { groupsOf, memoryOf, summaryOf } from "./shape";

const head = { cpu: 2, memory: "4Gi", pool: "cpu" };
const mixed = {
  head,
  groups: [
    { name: "train", pool: "gpu", replicas: "1..4", cpu: 4, memory: "16Gi", gpu: 1, labels: { zone: "a" } },
    { name: "prep", replicas: "2", cpu: 0.5, memory: "512Mi", gpu: 0 },
  ],
};

describe("the shape of a cluster", () => {
  it("has the head first and keeps the order of the groups", () => {
    expect(groupsOf(mixed).map(({ name, pool }) => [name, pool])).toEqual([
      ["head", "cpu"],
      ["train", "gpu"],
      ["prep", null],
    ]);
    expect(groupsOf(mixed)[1]?.labels).toEqual([["zone", "a"]]);
  });

  it("reads as a sentence", () => {
    expect(summaryOf(mixed)).toBe("1–4 × train (1 GPU, 4 CPU, 16 GiB), 2 × prep (0.5 CPU, 512 MiB)");
    expect(summaryOf({ head })).toBe("head only");
  });

  it("shows what is no quantity as it is", () => expect(memoryOf("plenty")).toBe("plenty"));
});
