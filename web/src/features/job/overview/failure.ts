/** A failure as a class in words, facts and a next step. Pure. */
import { formatBytes } from "@/lib/format";
import type { Failure } from "../queries";

type FailureClass = Failure["class"];

const TITLES: Record<FailureClass, string> = {
  user_error: "The program failed",
  oom: "Out of memory",
  preempted: "Its machines were taken back",
  node_lost: "A machine was lost",
  image: "The image cannot be used",
  environment: "The environment cannot be made",
  quota: "It can never fit",
  timeout: "It ran out of time",
  infra: "The platform failed",
};

const NEXT: Record<FailureClass, string> = {
  user_error: "Read the last lines, mend the program, and submit it again.",
  oom: "Give it more memory, or retries with a memory factor above 1.",
  preempted: "Retry it; with checkpoints it goes on where it was.",
  node_lost: "Retry it. Nothing in the program has to change.",
  image: "Mend the name of the image, or the access to it.",
  environment: "Mend the requirements; the message names the one that cannot be had.",
  quota: "Ask for less, or have an administrator raise the limit.",
  timeout: "Give it more time, or make it checkpoint and retry.",
  infra: "Retry it. If it happens again, an administrator should look at the platform's health.",
};

export function failureTitle(failure: Failure): string {
  return TITLES[failure.class] ?? "It failed";
}

export function nextStep(failure: Failure): string {
  return failure.hint ?? NEXT[failure.class] ?? "Look at the log.";
}

/** What is known, as label and value. */
export function evidenceOf(failure: Failure): [label: string, value: string][] {
  const { exit_code, signal, signal_name, memory_used_bytes, memory_limit_bytes, node, task, decided_by } = failure;
  const facts: [string, string | null][] = [
    ["Exit code", exit_code === null || exit_code === undefined ? null : String(exit_code)],
    ["Signal", signal === null || signal === undefined ? null : `${signal_name ?? "signal"} (${signal})`],
    ["Memory", memoryText(memory_used_bytes, memory_limit_bytes)],
    ["Node", node ?? null],
    ["Task", task ?? null],
    ["Decided by", decided_by ?? null],
  ];
  return facts.filter((fact): fact is [string, string] => fact[1] !== null);
}

function memoryText(used: number | null | undefined, limit: number | null | undefined): string | null {
  if (typeof used !== "number") return typeof limit === "number" ? `limit ${formatBytes(limit)}` : null;
  return typeof limit === "number" ? `${formatBytes(used)} of ${formatBytes(limit)}` : formatBytes(used);
}
