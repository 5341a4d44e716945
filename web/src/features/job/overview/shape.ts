/** The nodes that a job asks for, one line a kind. Pure. */
import type { Job } from "../queries";

export interface NodeKind {
  name: string;
  pool: string;
  nodes: string;
  cpu: number;
  memory: string;
  gpu: number;
}

export function nodeKinds(spec: Job["spec"]): NodeKind[] {
  const { head, groups = [] } = spec.resources ?? {};
  const kinds: NodeKind[] = groups.map(({ name, pool, replicas, cpu, memory, gpu }) => ({
    name,
    pool: pool ?? (gpu > 0 ? "default GPU pool" : "default CPU pool"),
    nodes: replicas,
    cpu,
    memory,
    gpu,
  }));
  if (head === undefined || (spec.cluster ?? null) !== null) return kinds;
  return [
    { name: "head", pool: head.pool ?? "default CPU pool", nodes: "1", cpu: head.cpu, memory: head.memory, gpu: 0 },
    ...kinds,
  ];
}

/** CPU cores that a node of that name was given; undefined where the job does not say. `train-2` is one of group `train`. */
export function coresOf(spec: Job["spec"], node: string): number | undefined {
  const { head, groups = [] } = spec.resources ?? {};
  if (node === "head") return head?.cpu;
  return groups.find(({ name }) => node === name || node.startsWith(`${name}-`))?.cpu;
}

/** What to type in a shell to run the same. */
export function commandText(entrypoint: string | readonly string[]): string {
  if (typeof entrypoint === "string") return entrypoint;
  return entrypoint
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`))
    .join(" ");
}
