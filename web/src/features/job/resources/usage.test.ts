import { expect, it } from "vitest";
import type { NodeSamples } from "../queries";
import { nodeUse, peakShare } from "./usage";

const samples = (over: Partial<NodeSamples["points"][number]> = {}): NodeSamples => ({
  node: "head",
  attempt: 1,
  points: [
    { at: "2026-12-01T09:00:00Z", cpu_cores: 0.5, memory_bytes: 512, memory_limit_bytes: 1024, ...over },
    { at: "2026-12-01T09:00:05Z", cpu_cores: 0.7, memory_bytes: 1000, memory_limit_bytes: 1024, ...over },
  ],
});

it("draws use beside its bound", () => {
  const use = nodeUse(samples(), 2);
  expect(use.cpu.map(({ label, y, isLimit }) => [label, y, isLimit])).toEqual([
    ["used", [0.5, 0.7], false],
    ["asked for", [2, 2], true],
  ]);
  expect(use.memory.map(({ label }) => label)).toEqual(["used", "limit"]);
  expect([use.gpu, use.gpuMemory]).toEqual([[], []]);
});

it("leaves out a bound that is not known", () => {
  const use = nodeUse(samples({ memory_limit_bytes: null }), undefined);
  expect([...use.cpu, ...use.memory].some(({ isLimit }) => isLimit)).toBe(false);
  expect(peakShare(samples({ memory_limit_bytes: null }))).toBeNull();
});

it("knows how near memory came to its limit", () => expect(peakShare(samples())).toBeCloseTo(0.977, 2));
