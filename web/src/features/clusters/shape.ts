/** What a cluster is made of, as rows and as words. Pure. */
import type { components } from "@openapi";
import { formatBytes, formatNumber } from "@/lib/format";
import { parseMemory } from "@/lib/quantity";

type Resources = components["schemas"]["Resources-Output"];

export interface NodeGroup {
  name: string;
  /** Null = the platform's default. */
  pool: string | null;
  replicas: string;
  cpu: number;
  gpu: number;
  memory: string;
  labels: [string, string][];
}

/** The head first, then the worker groups in the order that they were asked for. */
export function groupsOf({ head, groups = [] }: Resources): NodeGroup[] {
  const { cpu, memory, pool = null } = head;
  return [
    { name: "head", pool, replicas: "1", cpu, gpu: 0, memory, labels: [] },
    ...groups.map((group) => ({ ...group, pool: group.pool ?? null, labels: Object.entries(group.labels ?? {}) })),
  ];
}

/** `2 × train (1 GPU, 4 CPU, 16 GiB)` for each worker group. */
export function summaryOf(resources: Resources): string {
  const groups = groupsOf(resources).slice(1);
  if (groups.length === 0) return "head only";
  return groups.map((group) => `${replicasOf(group)} × ${group.name} (${sizeOf(group)})`).join(", ");
}

/** `1..4` → `1–4`. */
export function replicasOf({ replicas }: Pick<NodeGroup, "replicas">): string {
  return replicas.replace("..", "–");
}

function sizeOf({ cpu, gpu, memory }: NodeGroup): string {
  const parts = [gpu > 0 ? `${formatNumber(gpu)} GPU` : "", `${formatNumber(cpu)} CPU`, memoryOf(memory)];
  return parts.filter(Boolean).join(", ");
}

/** `16Gi` → `16 GiB`; what is no quantity stays as it is. */
export function memoryOf(quantity: string): string {
  const bytes = parseMemory(quantity);
  return bytes === undefined ? quantity : formatBytes(bytes);
}
