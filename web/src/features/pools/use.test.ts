import { describe, expect, it } from "vitest";
import type { PoolUsage } from "./queries";
import { barsOf, fullness, machineOf, partsOf, waitingInWords } from "./use";

const GIB = 2 ** 30;
const share = (project: string | null, cpu: number, gpu = 0) => ({
  project,
  use: { cpu, gpu, memory_bytes: cpu * GIB },
  jobs: 1,
  clusters: 0,
});
const pool = (over: Partial<PoolUsage>) =>
  ({
    pool: "gpu",
    machines: 2,
    capacity: { cpu: 64, gpu: 8, memory_bytes: 512 * GIB },
    held: [share("vision", 16, 4), share(null, 8, 2)],
    waiting: [],
    ...over,
  }) as PoolUsage;

describe("who gets a colour", () => {
  it("are the projects by name, and the others in grey at the end", () => {
    expect(partsOf([pool({ held: [share("speech", 1), share("audio", 4)] })]).map(({ id }) => id)).toEqual([
      "audio",
      "speech",
      "other projects",
    ]);
  });

  it("are at most six, the largest", () => {
    const held = Array.from({ length: 9 }, (_, index) => share(`p${index}`, index + 1));
    const parts = partsOf([pool({ held })]);
    expect(parts.map(({ id }) => id)).toEqual(["p3", "p4", "p5", "p6", "p7", "p8", "other projects"]);
    expect(barsOf([pool({ held })], parts, "cpu")[0]?.values["other projects"]).toBe(1 + 2 + 3);
  });
});

describe("pools in use", () => {
  it("are stacked by project, those that the person may not know together", () => {
    const parts = partsOf([pool({})]);
    expect(barsOf([pool({})], parts, "gpu")).toEqual([
      { id: "gpu", label: "gpu", capacity: 8, values: { vision: 4, "other projects": 2 } },
    ]);
    expect(barsOf([pool({})], parts, "memory")[0]?.capacity).toBe(512);
  });

  it("have no bar for what they lack", () => {
    const cpuOnly = pool({ capacity: { cpu: 8, gpu: 0, memory_bytes: GIB }, held: [] });
    expect(barsOf([cpuOnly], partsOf([cpuOnly]), "gpu")).toEqual([]);
  });

  it("are as full as what runs out first", () => {
    expect(fullness(pool({}))).toBe(0.75);
    expect(fullness(pool({ held: [] }))).toBe(0);
  });
});

describe("in words", () => {
  it("is what waits", () => {
    expect(waitingInWords([])).toBe("");
    expect(waitingInWords([share("vision", 4, 1), { ...share(null, 4, 1), jobs: 0, clusters: 1 }])).toBe(
      "1 job, 1 cluster: 2 GPU, 8 CPU, 8 GiB",
    );
  });

  it("is one machine", () => {
    expect(machineOf({ cpu: 32, gpu: 4, memory: "256Gi" })).toBe("4 GPU, 32 CPU, 256 GiB");
    expect(machineOf({ cpu: 32, gpu: 0, memory: "256Gi" })).toBe("32 CPU, 256 GiB");
  });
});
