/** Limits of a project as a form has them. Pure. */
import type { Project } from "@/api/me";

type Limits = Project["limits"];
export type LimitName = "cpu" | "memory_gib" | "gpu" | "jobs";

export const LIMITS: readonly (readonly [name: LimitName, label: string, unit: string])[] = [
  ["cpu", "CPU", "cores"],
  ["memory_gib", "Memory", "GiB"],
  ["gpu", "GPU", "accelerators"],
  ["jobs", "Unfinished jobs", "jobs, queued ones included"],
];

/** What stands in the fields; empty = no limit. */
export type LimitTexts = Record<LimitName, string>;

export function textsOf(limits: Limits): LimitTexts {
  const text = (value: number | null | undefined) => (value === null || value === undefined ? "" : String(value));
  return { cpu: text(limits.cpu), memory_gib: text(limits.memory_gib), gpu: text(limits.gpu), jobs: text(limits.jobs) };
}

/** The limits that the fields ask for, or which of them make no sense. */
export function limitsOf(texts: LimitTexts): { limits: Limits } | { wrong: LimitName[] } {
  const wrong: LimitName[] = [];
  const limits: Limits = {};
  for (const [name] of LIMITS) {
    const value = numberOf(texts[name], name === "jobs");
    if (value === undefined) wrong.push(name);
    else limits[name] = value;
  }
  return wrong.length > 0 ? { wrong } : { limits };
}

function numberOf(text: string, whole: boolean): number | null | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  const sound = whole ? /^\d{1,9}$/ : /^\d{1,9}(\.\d{1,6})?$/;
  return sound.test(trimmed) ? Number(trimmed) : undefined;
}
