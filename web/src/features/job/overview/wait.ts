/** What a waiting job lacks, who can change that, and what to do. Pure. */

export interface Help {
  /** What kind of wait it is, in a few words. */
  kind: string;
  /** Who can end the wait. */
  who: string;
  /** What to do, if anything. */
  next: string;
}

const CAPACITY: Help = {
  kind: "Machines",
  who: "It starts by itself as soon as machines are free. An administrator can add machines to the pool.",
  next: "Ask for less, or for another pool, if it must start sooner.",
};
const QUOTA: Help = {
  kind: "Limit of the project",
  who: "Anybody in the project can end other jobs. An administrator can raise the limit.",
  next: "Cancel a job that is not needed, or wait until one ends.",
};
const HELD: Help = {
  kind: "Held",
  who: "An administrator has stopped this queue, and can open it again.",
  next: "Ask an administrator how long it will take.",
};
const PLATFORM: Help = {
  kind: "Platform",
  who: "The platform does this by itself. If it takes long, an administrator sees why on the health page.",
  next: "Nothing to do.",
};
const ENVIRONMENT: Help = {
  kind: "Environment",
  who: "The platform installs what the job requires; the first time takes longest.",
  next: "Nothing to do. The same requirements are ready at once the next time.",
};
const NODES: Help = {
  kind: "Nodes",
  who: "The cluster's nodes are starting. An administrator can see what keeps a node from starting.",
  next: "Nothing to do. If it fails, the reason will stand here.",
};

const BY_REASON: Record<string, Help> = {
  NoRoom: CAPACITY,
  KeptForOthers: {
    ...CAPACITY,
    who: "Machines are kept for jobs before it. It starts by itself when its turn comes.",
  },
  NoMatchingFlavor: CAPACITY,
  UnmetDemand: CAPACITY,
  TopologyPlacementFailed: CAPACITY,
  WaitingForPreemptedWorkloads: CAPACITY,
  WaitingForPodsReady: CAPACITY,
  ProjectLimit: QUOTA,
  QuotaExceeded: QUOTA,
  WaitingForQuota: QUOTA,
  ExceedsMaxQuota: QUOTA,
  OnHold: HELD,
  LocalQueueStopped: HELD,
  ClusterQueueStopped: HELD,
  InactiveWorkload: HELD,
  AdmissionCheck: HELD,
  UnsatisfiedAdmissionChecks: HELD,
  ResolvingEnvironment: ENVIRONMENT,
  SettingUp: ENVIRONMENT,
  WaitingForCluster: {
    kind: "Cluster",
    who: "The cluster that it asks for is not ready yet.",
    next: "Look at the cluster, or run the job on a cluster of its own.",
  },
  BackOff: {
    kind: "Pause before the next attempt",
    who: "The platform tries again by itself.",
    next: "Look at why the last attempt failed; cancel if another one cannot help.",
  },
  WaitingForNodes: NODES,
  StartingCluster: NODES,
  HeadNotAnswering: NODES,
};

export function helpFor(reason: string): Help {
  return Object.hasOwn(BY_REASON, reason) ? (BY_REASON[reason] ?? PLATFORM) : PLATFORM;
}

/** `3` → `3rd`. */
export function ordinal(place: number): string {
  const tens = place % 100;
  const suffix = tens >= 11 && tens <= 13 ? "th" : ({ 1: "st", 2: "nd", 3: "rd" }[place % 10] ?? "th");
  return `${place}${suffix}`;
}

/** Whether it has waited longer than jobs of this project usually do. */
export function isLong(sinceMs: number, usualSeconds: number | null | undefined, nowMs: number): boolean {
  return typeof usualSeconds === "number" && nowMs - sinceMs > Math.max(60_000, usualSeconds * 2000);
}
