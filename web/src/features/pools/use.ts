/** What of the pools is in use and by whom, as bars, and what waits for them. Pure. */
import { type Bar, largest, MOST_PARTS, type Part } from "@/charts/stacking";
import { formatBytes, formatNumber, plural } from "@/lib/format";
import { parseMemory } from "@/lib/quantity";
import type { Pool, PoolUsage } from "./queries";

export type Measure = "gpu" | "cpu" | "memory";
type Amount = PoolUsage["capacity"];
type Share = PoolUsage["held"][number];

export const MEASURES: readonly { id: Measure; title: string; unit: string }[] = [
  { id: "gpu", title: "GPU", unit: "accelerators" },
  { id: "cpu", title: "CPU", unit: "cores" },
  { id: "memory", title: "Memory", unit: "GiB" },
];

const GIB = 2 ** 30;
/** No project can be called this: a name has no space. */
const OTHERS = "other projects";

export function amountOf({ cpu, gpu, memory_bytes }: Amount, measure: Measure): number {
  return { cpu: cpu ?? 0, gpu: gpu ?? 0, memory: (memory_bytes ?? 0) / GIB }[measure];
}

/** The projects that get a colour, the same ones in every chart, and all others together. */
export function partsOf(pools: readonly PoolUsage[]): Part[] {
  const shares: Record<string, number> = {};
  for (const { held, capacity } of pools) {
    for (const { project, use } of held) {
      if (project !== null && project !== undefined)
        shares[project] = (shares[project] ?? 0) + fullestShare(use, capacity);
    }
  }
  const named = largest(shares, MOST_PARTS).map((name) => ({ id: name, label: name }));
  return [...named, { id: OTHERS, label: OTHERS, isOther: true }];
}

/** One bar for each pool that has any of `measure`. */
export function barsOf(pools: readonly PoolUsage[], parts: readonly Part[], measure: Measure): Bar[] {
  const named = new Set(parts.map(({ id }) => id));
  return pools.flatMap(({ pool, capacity, held }) => {
    const values: Record<string, number> = {};
    for (const { project, use } of held) {
      const id = project !== null && project !== undefined && named.has(project) ? project : OTHERS;
      values[id] = (values[id] ?? 0) + amountOf(use, measure);
    }
    const whole = amountOf(capacity, measure);
    const used = Object.values(values).some((value) => value > 0);
    return whole > 0 || used ? [{ id: pool, label: pool, capacity: whole, values }] : [];
  });
}

function fullestShare(use: Amount, capacity: Amount): number {
  return Math.max(
    0,
    ...MEASURES.map(({ id }) => {
      const whole = amountOf(capacity, id);
      return whole > 0 ? amountOf(use, id) / whole : 0;
    }),
  );
}

/** The share of the pool that is taken: of what runs out first. */
export function fullness({ capacity, held }: Pick<PoolUsage, "capacity" | "held">): number {
  return fullestShare(sumOf(held), capacity);
}

export function sumOf(shares: readonly Pick<Share, "use">[]): { cpu: number; gpu: number; memory_bytes: number } {
  return shares.reduce(
    (sum, { use }) => ({
      cpu: sum.cpu + (use.cpu ?? 0),
      gpu: sum.gpu + (use.gpu ?? 0),
      memory_bytes: sum.memory_bytes + (use.memory_bytes ?? 0),
    }),
    { cpu: 0, gpu: 0, memory_bytes: 0 },
  );
}

/** What is asked for and not there: `3 jobs: 4 GPU, 16 CPU, 64 GiB`; nothing where nothing waits. */
export function waitingInWords(shares: PoolUsage["waiting"]): string {
  const jobs = shares.reduce((sum, share) => sum + (share.jobs ?? 0), 0);
  const clusters = shares.reduce((sum, share) => sum + (share.clusters ?? 0), 0);
  const who = [jobs > 0 ? plural(jobs, "job") : "", clusters > 0 ? plural(clusters, "cluster") : ""];
  const names = who.filter(Boolean).join(", ");
  return names === "" ? "" : `${names}: ${amountInWords(sumOf(shares))}`;
}

/** `4 GPU, 32 CPU, 256 GiB`; what is zero is left out. */
export function amountInWords({ cpu, gpu, memory_bytes }: Amount): string {
  const parts = [
    gpu ? `${formatNumber(gpu)} GPU` : "",
    cpu ? `${formatNumber(cpu)} CPU` : "",
    memory_bytes ? formatBytes(memory_bytes) : "",
  ];
  return parts.filter(Boolean).join(", ") || "nothing";
}

/** One machine of a pool. */
export function machineOf({ cpu, gpu, memory }: Pick<Pool, "cpu" | "gpu" | "memory">): string {
  return amountInWords({ cpu, gpu, memory_bytes: parseMemory(memory) ?? 0 });
}
