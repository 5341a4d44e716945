/** The same job by the Python client. */
import { isObject, type Spec } from "../schema";

/** A script that submits `spec` and waits for nothing. */
export function toPython(spec: Spec, project: string): string {
  const { entrypoint, package: digest, environment, resources, ...others } = spec;
  const given: [string, string][] = [
    ["package", digest === undefined ? "None" : literal(digest, 1)],
    ...Object.entries(others).map(([name, value]): [string, string] => [name, literal(value, 1)]),
  ];
  if (isObject(environment)) given.push(["environment", call("mlp.Environment", environment, 1)]);
  if (isObject(resources)) given.push(["resources", resourcesCall(resources)]);
  const lines = [literal(entrypoint, 1), ...given.map(([name, value]) => `${name}=${value}`)];
  return `import mlp

client = mlp.Client(project=${literal(project, 0)})
job = client.jobs.submit(
${lines.map((line) => `    ${line},\n`).join("")})
print(job.id)`;
}

function resourcesCall({ head, groups }: Record<string, unknown>): string {
  const lines: string[] = [];
  if (isObject(head)) lines.push(`head=${call("mlp.Head", head, 2)}`);
  if (Array.isArray(groups)) {
    const made = groups.map((group) => call("mlp.Group", isObject(group) ? group : {}, 3));
    lines.push(`groups=${block("[", made, "]", 2)}`);
  }
  return block("mlp.Resources(", lines, ")", 1);
}

function call(name: string, fields: Record<string, unknown>, depth: number): string {
  const given = Object.entries(fields).map(([field, value]) => `${field}=${literal(value, depth + 1)}`);
  const line = `${name}(${given.join(", ")})`;
  return line.length <= 88 && !line.includes("\n") ? line : block(`${name}(`, given, ")", depth);
}

function literal(value: unknown, depth: number): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  // A JSON string is a Python string too; what a source file could not hold is written as an escape.
  if (typeof value === "string") return JSON.stringify(value).replace(/[\x7f-\x9f\u2028\u2029\ufeff]/g, escaped);
  if (Array.isArray(value))
    return short(
      "[",
      value.map((item) => literal(item, depth + 1)),
      "]",
      depth,
    );
  if (isObject(value)) {
    const pairs = Object.entries(value).map(([key, inner]) => `${literal(key, depth)}: ${literal(inner, depth + 1)}`);
    return short("{", pairs, "}", depth);
  }
  return String(value);
}

function escaped(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function short(open: string, items: string[], close: string, depth: number): string {
  const line = `${open}${items.join(", ")}${close}`;
  return line.length <= 88 ? line : block(open, items, close, depth);
}

function block(open: string, items: string[], close: string, depth: number): string {
  const indent = "    ".repeat(depth);
  return `${open}\n${items.map((item) => `${indent}    ${item},\n`).join("")}${indent}${close}`;
}
