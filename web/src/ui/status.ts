import type { components } from "@openapi";

type Schemas = components["schemas"];
export type Phase =
  | Schemas["JobPhase"]
  | Schemas["ClusterPhase"]
  | Schemas["EnvironmentPhase"]
  | NonNullable<Schemas["AttemptOutcome"]>;

/** Six looks for all phases of all resources: a shape, a colour pair and a word each. */
export type Tone = "running" | "pending" | "succeeded" | "failed" | "cancelled" | "preempted";

export const TONES: readonly Tone[] = ["running", "pending", "succeeded", "failed", "cancelled", "preempted"];

const TONE_OF: Record<Phase, Tone> = {
  queued: "pending",
  admitted: "pending",
  provisioning: "pending",
  resolving: "pending",
  running: "running",
  sealing: "running",
  ready: "running",
  stopping: "cancelled",
  stopped: "cancelled",
  cancelled: "cancelled",
  succeeded: "succeeded",
  failed: "failed",
  preempted: "preempted",
};

/** The look of a phase; one that a newer platform knows and we do not looks neutral. */
export function toneOf(phase: string): Tone {
  return Object.hasOwn(TONE_OF, phase) ? TONE_OF[phase as Phase] : "cancelled";
}

export const JOB_PHASES: readonly Schemas["JobPhase"][] = [
  "queued",
  "admitted",
  "provisioning",
  "running",
  "sealing",
  "succeeded",
  "failed",
  "cancelled",
];

const ENDED: ReadonlySet<string> = new Set(["succeeded", "failed", "cancelled", "stopped"]);

/** Whether nothing more happens to it. */
export function hasEnded(phase: string): boolean {
  return ENDED.has(phase);
}

/** Whether it waits for machines, or for what must happen before it runs. */
export function isWaiting(phase: string): boolean {
  return toneOf(phase) === "pending";
}

/** `user_error` → `user error`. */
export function inWords(word: string): string {
  return word.replaceAll("_", " ");
}

/** `WaitingForQuota` → `Waiting for quota`. */
export function reasonInWords(reason: string): string {
  const spaced = reason.replace(/([a-z0-9])([A-Z])/g, "$1 $2");
  return spaced.charAt(0) + spaced.slice(1).replace(/\b[A-Z](?=[a-z])/g, (letter) => letter.toLowerCase());
}
