/** Jobs side by side, as rows of texts: what is the same in all can be left out. Pure. */
import type { components } from "@openapi";
import type { Job } from "@/api/stream";
import { flatten, leafText } from "@/lib/flatten";
import { formatBytes, formatDuration, shortDigest } from "@/lib/format";
import { inWords } from "@/ui/status";

export const MOST_COMPARED = 20;

export interface Row {
  name: string;
  /** One for each job; undefined where it has none. */
  values: readonly (string | undefined)[];
  /** Places of the best values, where there is such a thing. */
  best?: readonly number[];
}

export interface Section {
  title: string;
  rows: readonly Row[];
  /** Where a job's value is compared with the first one's in detail, if anywhere. */
  linkOf?: (row: Row, place: number) => string | undefined;
}

/** Whether the jobs differ in it. */
export function differs({ values }: Row): boolean {
  return values.some((value) => value !== values[0]);
}

/** Rows from one set of named values per job, in the order in which names first appear. */
export function rowsFrom(columns: readonly ReadonlyMap<string, string>[]): Row[] {
  const names = new Set(columns.flatMap((column) => [...column.keys()]));
  return [...names].map((name) => ({ name, values: columns.map((column) => column.get(name)) }));
}

/** How each ended. */
export function outcomeOf(job: Job): ReadonlyMap<string, string> {
  return texts({
    phase: job.phase,
    failure: job.failure == null ? undefined : inWords(job.failure.class),
    "exit code": job.exit_code,
    signal: job.signal,
    "ran for": typeof job.duration_seconds === "number" ? formatDuration(job.duration_seconds) : undefined,
    attempts: job.attempt,
    owner: job.created_by,
    model: job.model == null ? undefined : `${job.model.name} ${job.model.version}`,
  });
}

const ELSEWHERE = new Set(["resources", "environment", "package"]);

/** What was asked for: the flags of the command one by one, variables, and every other field. */
export function parametersOf(job: Job): ReadonlyMap<string, string> {
  const { entrypoint, ...others } = job.spec;
  const command = Array.isArray(entrypoint) ? entrypoint : entrypoint.trim().split(/\s+/);
  const flags = flagsOf(command);
  const found = new Map<string, string>([
    ["command", leafText(entrypoint)],
    ...[...flags].map(([flag, value]): [string, string] => [flag, value]),
    ...Object.entries(job.spec.environment?.variables ?? {}).map(([name, value]): [string, string] => [
      `$${name}`,
      value,
    ]),
  ]);
  for (const [name, value] of Object.entries(others)) {
    if (ELSEWHERE.has(name) || value === null) continue;
    for (const [inner, leaf] of flatten({ [name]: value })) found.set(inner, leafText(leaf));
  }
  return found;
}

/** `--epochs 5 --lr=0.1 --fast` → `--epochs` 5, `--lr` 0.1, `--fast` yes. A later one of a name counts. */
export function flagsOf(words: readonly string[]): ReadonlyMap<string, string> {
  const flags = new Map<string, string>();
  words.forEach((word, index) => {
    const match = /^(--?[A-Za-z][\w.-]*)(?:=([\s\S]*))?$/.exec(word);
    if (match?.[1] === undefined) return;
    const next = words[index + 1];
    const hasValue = next !== undefined && (!next.startsWith("-") || /^-\d/.test(next));
    flags.set(match[1], match[2] ?? (hasValue ? next : "yes"));
  });
  return flags;
}

export function resourcesOf(job: Job): ReadonlyMap<string, string> {
  return new Map([...flatten(job.spec.resources ?? {})].map(([name, value]) => [name, leafText(value)]));
}

type Environment = components["schemas"]["EnvironmentRead"];

/** Python, the digest, and each package of the lock with its version. */
export function environmentOf(
  job: Job,
  environment: Pick<Environment, "lock"> | undefined,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>([["Python", job.spec.environment?.python ?? ""]]);
  if (job.spec.environment?.name) found.set("environment", job.spec.environment.name);
  if (job.environment_digest != null) found.set("digest", shortDigest(job.environment_digest));
  const lines = environment?.lock?.split("\n") ?? job.spec.environment?.requirements ?? [];
  for (const line of lines) {
    const match = /^\s*([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*(?:==\s*)?([^;\s\\#]*)/.exec(line);
    if (match?.[1] !== undefined && !line.trimStart().startsWith("#"))
      found.set(match[1].toLowerCase(), match[2] || "any");
  }
  return found;
}

/** The row of the whole package among its files. */
export const PACKAGE = "whole package";

export interface PackageFile {
  path: string;
  size: number;
  checksum: string;
}

/** The files of the code: with the same size and checksum it is the same content. */
export function codeOf(job: Job, files: readonly PackageFile[] | undefined): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  if (job.package != null) found.set(PACKAGE, shortDigest(job.package));
  for (const { path, size, checksum } of files ?? []) {
    found.set(path, `${formatBytes(size)} · ${checksum.replace(/^\w+:/, "")}`);
  }
  return found;
}

/** What the job's program logged as its parameters; they say more than the command, which may take most from a file. */
export function loggedOf(parameters: Readonly<Record<string, string>> | undefined): ReadonlyMap<string, string> {
  return new Map(Object.entries(parameters ?? {}));
}

/** `null` and undefined are left out, as if they had not been asked for. */
function texts(values: Record<string, string | number | null | undefined>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(values)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  );
}
