/** Quantities as jobs are written with: `2Gi`, `1..4`, `1h30m`. Pure; the platform has the last word on all of them. */

const FACTOR: Record<string, number> = { "": 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 };
const BINARY = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
BINARY.forEach((unit, index) => {
  FACTOR[unit] = 1024 ** (index + 1);
});

/** `2Gi` → bytes; undefined when it is no quantity. */
export function parseMemory(text: string | number): number | undefined {
  if (typeof text === "number") return text;
  const match = /^(\d+(?:\.\d+)?)([kMGTPE]|[KMGTPE]i)?$/.exec(text.trim());
  const factor = FACTOR[match?.[2] ?? ""];
  return match === null || factor === undefined ? undefined : Math.floor(Number(match[1]) * factor);
}

/** `2` or `1..4` → the lowest and the highest number of nodes; undefined when it is neither. */
export function parseReplicas(text: string | number): [lowest: number, highest: number] | undefined {
  const match = /^(\d+)(?:\.\.(\d+))?$/.exec(String(text).trim());
  if (match === null) return undefined;
  const lowest = Number(match[1]);
  return [lowest, match[2] === undefined ? lowest : Number(match[2])];
}

/** `500m`, `0.5` or `2` → cores. */
export function parseCpu(text: string | number): number | undefined {
  if (typeof text === "number") return text;
  const match = /^(\d+(?:\.\d+)?)(m?)$/.exec(text.trim());
  if (match === null) return undefined;
  return Number(match[1]) / (match[2] === "m" ? 1000 : 1);
}

interface NodeSize {
  cpu?: number;
  memory?: string;
  gpu?: number;
}

export interface TotalResources {
  cpu: number;
  gpu: number;
  memory: number;
  /** The head counts as one. */
  nodes: number;
}

/** What a job takes when it starts: its head, and the lowest number of each group's nodes. */
export function totalResources(resources: {
  head?: NodeSize;
  groups?: (NodeSize & { replicas?: string })[];
}): TotalResources {
  const total: TotalResources = { cpu: 0, gpu: 0, memory: 0, nodes: 0 };
  const add = (size: NodeSize, count: number) => {
    total.cpu += count * (size.cpu ?? 1);
    total.gpu += count * (size.gpu ?? 0);
    total.memory += count * (parseMemory(size.memory ?? "2Gi") ?? 0);
    total.nodes += count;
  };
  add(resources.head ?? {}, 1);
  for (const group of resources.groups ?? []) add(group, parseReplicas(group.replicas ?? "1")?.[0] ?? 1);
  return total;
}
