/** The same job by the command line. */
import { isObject, type Spec } from "../schema";
import { toYaml } from "../yaml";
import { hereDocument, quoted } from "./shell";

/** Flags where they can say all of it; else a job file, and the command that sends it. */
export function toCommand(spec: Spec, project: string): string {
  const flags = flagsOf(spec);
  if (flags === null)
    return `${hereDocument("cat > mlp.yaml", toYaml(spec))}\nmlp job submit --project=${quoted(project)} -f mlp.yaml`;
  const { entrypoint } = spec;
  const words = Array.isArray(entrypoint) ? ["--", ...entrypoint.map((word) => quoted(String(word)))] : [];
  const line = typeof entrypoint === "string" ? [`--shell=${quoted(entrypoint)}`] : [];
  const options = [`--project=${quoted(project)}`, "--no-package", ...flags, ...line];
  const command = ["mlp job submit", ...options].join(" \\\n  ");
  return words.length === 0 ? command : `${command} \\\n  ${words.join(" ")}`;
}

/** One flag for each field; null where some field has none. */
function flagsOf(spec: Spec): string[] | null {
  const left = structuredClone(spec);
  const take = taker(left);
  take("entrypoint");
  const { package: digest, resources, ...others } = left;
  if (digest !== undefined) return null;
  const machines = machineFlags(resources);
  if (machines === null) return null;
  const environment = takerOf(others.environment);
  const retries = takerOf(others.retries);
  const run = takerOf(others.run);
  const model = takerOf(others.model);
  const rest = taker(others);
  const flags = [
    ...one("name", rest("name")),
    ...one("kind", rest("kind")),
    ...one("environment", environment("name")),
    ...one("python", environment("python")),
    ...many("requirement", environment("requirements")),
    ...pairs("env", environment("variables")),
    ...machines,
    ...one("cluster", rest("cluster")),
    ...one("priority", rest("priority")),
    ...one("timeout", rest("timeout")),
    ...one("deadline", rest("deadline")),
    ...one("grace", rest("grace")),
    ...one("retries", retries("max")),
    ...many("retry-on", retries("on")),
    ...one("memory-factor", retries("memory_factor")),
    ...one("experiment", run("experiment")),
    ...pairs("tag", run("tags")),
    ...one("register", model("register")),
  ];
  const isAll = flags.every((flag) => flag !== null) && isEmpty(others);
  return isAll ? (flags as string[]) : null;
}

/** A requirement that names a file would be read as one; a list that is empty, and a name with `=`, cannot be said. */
function many(flag: string, value: unknown): (string | null)[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length === 0) return [null];
  return value.map((item) => (/\.(txt|in)$/.test(String(item)) ? null : `--${flag}=${quoted(String(item))}`));
}

function pairs(flag: string, value: unknown): (string | null)[] {
  if (!isObject(value)) return [];
  return Object.entries(value).map(([name, text]) =>
    name.includes("=") ? null : `--${flag}=${quoted(`${name}=${String(text)}`)}`,
  );
}

function one(flag: string, value: unknown): string[] {
  return value === undefined || value === null ? [] : [`--${flag}=${quoted(String(value))}`];
}

/** Flags know one group, whose name they choose; without one they size the head. */
function machineFlags(resources: unknown): string[] | null {
  if (resources === undefined) return [];
  if (!isObject(resources)) return null;
  const { head, groups, ...others } = resources;
  const headOf = takerOf(head);
  const size = [headOf("cpu"), headOf("memory"), headOf("pool")] as const;
  if (!isEmpty(others) || !isEmpty(head)) return null;
  if (groups === undefined || (Array.isArray(groups) && groups.length === 0)) {
    return [...one("cpus", size[0]), ...one("memory", size[1]), ...one("pool", size[2])];
  }
  if (!Array.isArray(groups) || groups.length !== 1 || size[2] !== undefined) return null;
  const groupOf = takerOf(groups[0]);
  if (groupOf("name") !== "workers") return null;
  const flags = [
    ...one("head-cpus", size[0]),
    ...one("head-memory", size[1]),
    ...one("workers", groupOf("replicas") ?? "1"),
    ...one("gpu", groupOf("gpu")),
    ...one("cpus", groupOf("cpu")),
    ...one("memory", groupOf("memory")),
    ...one("pool", groupOf("pool")),
  ];
  return isEmpty(groups[0]) ? flags : null;
}

/** Reads a field and takes it away, so that what no flag was made of is left. */
function taker(from: Record<string, unknown>): (name: string) => unknown {
  return (name) => {
    const value = from[name];
    delete from[name];
    return value;
  };
}

function takerOf(value: unknown): (name: string) => unknown {
  return isObject(value) ? taker(value) : () => undefined;
}

/** Whether nothing is left, but for objects of which nothing is left. */
function isEmpty(value: unknown): boolean {
  if (value === undefined) return true;
  return isObject(value) && Object.values(value).every(isEmpty);
}
