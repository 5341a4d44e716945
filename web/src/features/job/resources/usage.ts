/** What each node used, as curves with the bound beside them. Pure. */
import type { Curve } from "@/charts/series";
import type { NodeSamples } from "../queries";

export interface NodeUse {
  node: string;
  cpu: Curve[];
  memory: Curve[];
  gpu: Curve[];
  gpuMemory: Curve[];
}

/** `cores` of a node that the job asked for, where known. */
export function nodeUse({ node, points }: NodeSamples, cores: number | undefined): NodeUse {
  const x = points.map(({ at }) => Date.parse(at) / 1000);
  const curve = (label: string, values: (number | null | undefined)[], colour: number, isLimit = false): Curve[] => {
    const present = values.map((value, index) => [x[index] ?? 0, value] as const).filter(hasValue);
    if (present.length === 0) return [];
    return [{ id: label, label, colour, isLimit, x: present.map(([at]) => at), y: present.map(([, value]) => value) }];
  };
  const limits = points.map(({ memory_limit_bytes }) => memory_limit_bytes);
  return {
    node,
    cpu: [
      ...curve(
        "used",
        points.map(({ cpu_cores }) => cpu_cores),
        0,
      ),
      ...curve("asked for", cores === undefined ? [] : points.map(() => cores), 3, true),
    ],
    memory: [
      ...curve(
        "used",
        points.map(({ memory_bytes }) => memory_bytes),
        0,
      ),
      ...curve("limit", limits, 3, true),
    ],
    gpu: curve(
      "in use",
      points.map(({ gpu_utilisation }) => (typeof gpu_utilisation === "number" ? gpu_utilisation : null)),
      2,
    ),
    gpuMemory: curve(
      "used",
      points.map(({ gpu_memory_bytes }) => gpu_memory_bytes),
      2,
    ),
  };
}

function hasValue(pair: readonly [number, number | null | undefined]): pair is readonly [number, number] {
  return typeof pair[1] === "number";
}

/** How near the peak came to the limit; null where there is none. */
export function peakShare({ points }: NodeSamples): number | null {
  let share: number | null = null;
  for (const { memory_bytes, memory_limit_bytes } of points) {
    if (typeof memory_limit_bytes === "number" && memory_limit_bytes > 0) {
      share = Math.max(share ?? 0, memory_bytes / memory_limit_bytes);
    }
  }
  return share;
}
