/** What can be said of a job before the platform is asked: missing, malformed, out of bounds. The platform has the last word. Pure. */
import { isObject, JOB_SCHEMA, kindOf, labelOf, type Path, resolve, type Schema, type Spec } from "./schema";

export interface FieldProblem {
  /** `resources.groups.0.gpu`, as the platform names fields too. */
  field: string;
  message: string;
}

/** All that is wrong in `spec`, in the order of the fields. */
export function checkSpec(spec: Spec): FieldProblem[] {
  return checkGroup(spec, JOB_SCHEMA, []);
}

function checkGroup(value: Record<string, unknown>, schema: Schema, path: Path): FieldProblem[] {
  const { properties = {}, required = [] } = resolve(schema);
  const missing = required
    .filter((name) => isBlank(value[name]))
    .map((name) => problem([...path, name], "is required"));
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(properties, name));
  const inside = Object.entries(properties).flatMap(([name, property]) =>
    isBlank(value[name]) ? [] : checkValue(value[name], property, [...path, name]),
  );
  return [...missing, ...unknown.map((name) => problem([...path, name], "is not a field of a job")), ...inside];
}

function checkValue(value: unknown, schema: Schema, path: Path): FieldProblem[] {
  const resolved = resolve(schema);
  switch (kindOf(schema)) {
    case "group":
      return isObject(value) ? checkGroup(value, schema, path) : [problem(path, "must be a group of fields")];
    case "list":
    case "lines":
    case "choices":
      if (!Array.isArray(value)) return [problem(path, "must be a list")];
      return value.flatMap((item, index) => checkValue(item, resolved.items ?? {}, [...path, index]));
    case "pairs":
      return isObject(value) ? [] : [problem(path, "must be names with values")];
    case "command":
      return isCommand(value) ? [] : [problem(path, "must be a line of text, or a list of arguments")];
    case "number":
      return checkNumber(value, resolved, path);
    case "choice":
      if (resolved.enum?.includes(String(value))) return [];
      return [problem(path, `must be one of ${resolved.enum?.join(", ")}`)];
    case "moment":
      if (typeof value === "string" && /^\d{4}-\d\d-\d\d[T ].*(Z|[+-]\d\d:?\d\d)$/i.test(value)) return [];
      return [problem(path, "must be a time with its zone, such as 2026-12-01T08:00:00Z")];
    default:
      return checkText(value, resolved, path);
  }
}

function checkNumber(value: unknown, schema: Schema, path: Path): FieldProblem[] {
  // Cores may be written as `500m` too.
  if (path.at(-1) === "cpu" && typeof value === "string" && /^\d+(\.\d+|m)?$/.test(value)) return [];
  if (typeof value !== "number" || !Number.isFinite(value)) return [problem(path, "must be a number")];
  if (schema.type === "integer" && !Number.isInteger(value)) return [problem(path, "must be a whole number")];
  const lowest = schema.minimum ?? schema.ge;
  const highest = schema.maximum ?? schema.le;
  if (lowest !== undefined && value < lowest) return [problem(path, `is at least ${lowest}`)];
  if (highest !== undefined && value > highest) return [problem(path, `is at most ${highest}`)];
  return [];
}

function checkText(value: unknown, { pattern, maxLength, examples = [] }: Schema, path: Path): FieldProblem[] {
  if (typeof value !== "string" && typeof value !== "number") return [problem(path, "must be text")];
  const text = String(value);
  if (maxLength !== undefined && [...text].length > maxLength)
    return [problem(path, `has at most ${maxLength} characters`)];
  if (pattern !== undefined && !new RegExp(pattern).test(text)) {
    const like = examples.length > 0 ? `, such as ${examples.join(" or ")}` : hintFor(pattern);
    return [problem(path, `is not in the right form${like}`)];
  }
  return [];
}

function hintFor(pattern: string): string {
  if (pattern.startsWith("^[a-z0-9]")) return ": small letters, digits and hyphens, at most 40";
  if (pattern.startsWith("^sha256:")) return ": sha256: and 64 hexadecimal digits";
  return "";
}

function isCommand(value: unknown): boolean {
  return typeof value === "string" || (Array.isArray(value) && value.every((word) => typeof word === "string"));
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
}

function problem(path: Path, message: string): FieldProblem {
  return { field: path.join("."), message };
}

/** `resources.groups.0.gpu is at most 64` for people: `GPUs of group 1`. */
export function fieldInWords(field: string): string {
  const steps = field.split(".");
  const name = labelOf(steps.at(-1) ?? field);
  const group = /^resources\.groups\.(\d+)\./.exec(field);
  if (group !== null) return `${name} of worker group ${Number(group[1]) + 1}`;
  return field.startsWith("resources.head.") ? `${name} of the head` : name;
}
