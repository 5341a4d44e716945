import { describe, expect, it } from "vitest";
import { parseCpu, parseMemory, parseReplicas, totalResources } from "./quantity";

describe("quantities", () => {
  it.each([
    ["2Gi", 2 * 2 ** 30],
    ["1.5Gi", 1.5 * 2 ** 30],
    ["512Mi", 512 * 2 ** 20],
    ["4G", 4e9],
    ["100", 100],
    ["0", 0],
  ])("reads %s as memory", (text, bytes) => expect(parseMemory(text)).toBe(bytes));

  it.each(["", "Gi", "2 Gi", "-1", "2Xi", "1e3"])("knows that %j is no memory", (text) =>
    expect(parseMemory(text)).toBeUndefined(),
  );

  it("reads cores", () => {
    expect(["2", "0.5", "500m", "x"].map(parseCpu)).toEqual([2, 0.5, 0.5, undefined]);
  });

  it("reads a number of nodes and a range", () => {
    expect(["2", "1..4", "1-4"].map(parseReplicas)).toEqual([[2, 2], [1, 4], undefined]);
  });

  it("adds up at the lower end of each range", () => {
    const groups = [
      { replicas: "1..4", cpu: 4, memory: "16Gi", gpu: 1 },
      { replicas: "2", cpu: 0.5, memory: "512Mi" },
    ];
    expect(totalResources({ head: { cpu: 2, memory: "4Gi" }, groups })).toEqual({
      cpu: 7,
      gpu: 1,
      memory: 21 * 2 ** 30,
      nodes: 4,
    });
  });
});
