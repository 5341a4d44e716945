/** The shape of a job, as the platform's API document has it: what the form is made from. Pure. */
import document from "../../../openapi/job-create.json";

/** The parts of JSON Schema that the document uses. */
export interface Schema {
  $ref?: string;
  type?: string;
  title?: string;
  description?: string;
  default?: unknown;
  examples?: unknown[];
  enum?: string[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  patternProperties?: Record<string, Schema>;
  propertyNames?: Schema;
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  ge?: number;
  le?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
}

export type Path = readonly (string | number)[];
export type Spec = Record<string, unknown>;

const schemas = document.schemas as unknown as Record<string, Schema>;
export const JOB_SCHEMA: Schema = { $ref: `#/components/schemas/${document.root}` };

/** Follows a reference, and looks through "or null"; what stands beside a reference (its default, say) is kept. */
export function resolve(schema: Schema): Schema {
  if (schema.$ref !== undefined) {
    const { $ref, ...beside } = schema;
    const target = schemas[$ref.replace("#/components/schemas/", "")];
    if (target === undefined) throw new Error(`the schema ${$ref} is not in the document`);
    return resolve(withInnerDefaults({ ...target, ...beside }));
  }
  const choices = schema.anyOf?.filter((choice) => choice.type !== "null");
  if (choices?.length === 1 && choices[0] !== undefined) {
    const { anyOf: _, ...beside } = schema;
    return resolve({ ...choices[0], ...beside });
  }
  return schema;
}

/** The default of an object says the defaults of its fields too, also of those whose own schema names none. */
function withInnerDefaults(schema: Schema): Schema {
  const { default: usual, properties } = schema;
  if (!isObject(usual) || properties === undefined) return schema;
  const filled = Object.entries(properties).map(([name, property]): [string, Schema] => [
    name,
    property.default === undefined && usual[name] !== undefined ? { ...property, default: usual[name] } : property,
  ]);
  return { ...schema, properties: Object.fromEntries(filled) };
}

export type Kind =
  | "text"
  | "number"
  | "choice"
  | "choices"
  | "moment"
  | "lines"
  | "pairs"
  | "group"
  | "list"
  | "command";

/** Which control edits it. */
export function kindOf(schema: Schema): Kind {
  const { type, anyOf, items, additionalProperties, patternProperties, format, enum: words } = resolve(schema);
  if (anyOf !== undefined) return "command";
  if (words !== undefined) return "choice";
  if (type === "number" || type === "integer") return "number";
  if (type === "array") return kindOfItems(items ?? {});
  if (type === "object") return patternProperties || typeof additionalProperties === "object" ? "pairs" : "group";
  return format === "date-time" ? "moment" : "text";
}

function kindOfItems(items: Schema): Kind {
  const { type, enum: words } = resolve(items);
  if (words !== undefined) return "choices";
  return type === "object" ? "list" : "lines";
}

/** The schema at `path` below `root`. */
export function schemaAt(path: Path, root: Schema = JOB_SCHEMA): Schema {
  return path.reduce<Schema>((schema, step) => {
    const inside = resolve(schema);
    const next = typeof step === "number" ? inside.items : inside.properties?.[step];
    if (next === undefined) throw new Error(`the schema of a job has no ${path.join(".")}`);
    return next;
  }, root);
}

/** `memory_factor` → `Memory factor`. */
export function labelOf(name: string): string {
  const words = name.replaceAll("_", " ");
  const known: Record<string, string> = { cpu: "CPU cores", gpu: "GPUs", python: "Python" };
  return known[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** The default as it would be typed; empty where there is none. */
export function defaultText(schema: Schema): string {
  const value = resolve(schema).default;
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? "" : String(value);
}

/** `spec` without what the platform would fill in by itself, so that what was chosen stands out. */
export function withoutDefaults(spec: Spec, schema: Schema = JOB_SCHEMA): Spec {
  const { properties = {} } = resolve(schema);
  const kept: Spec = {};
  for (const [name, value] of Object.entries(spec)) {
    if (value === undefined || value === null) continue;
    const property = properties[name];
    const inner = property === undefined ? value : stripped(value, property);
    if (property !== undefined && isDefault(inner, property)) continue;
    kept[name] = inner;
  }
  return kept;
}

function stripped(value: unknown, schema: Schema): unknown {
  const kind = kindOf(schema);
  if (kind === "group" && isObject(value)) return withoutDefaults(value, schema);
  if (kind === "list" && Array.isArray(value)) {
    const items = resolve(schema).items ?? {};
    return value.map((item) => (isObject(item) ? withoutDefaults(item, items) : item));
  }
  return value;
}

function isDefault(value: unknown, schema: Schema): boolean {
  const { default: usual, required = [] } = resolve(schema);
  if (isObject(value)) return Object.keys(value).length === 0 && required.length === 0;
  if (Array.isArray(value) && value.length === 0 && usual === undefined) return true;
  return usual !== undefined && sameValue(value, usual);
}

/** Equal as JSON, whatever the order of keys; of lists the order counts. */
export function sameValue(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => sameValue(item, other[index]));
  }
  if (isObject(one) && isObject(other)) {
    const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
    return [...keys].every((key) => sameValue(one[key], other[key]));
  }
  return Object.is(one, other);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value at `path`; undefined where there is none. */
export function valueAt(spec: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, step) => {
    if (Array.isArray(value) && typeof step === "number") return value[step];
    return isObject(value) ? value[step] : undefined;
  }, spec);
}

/** A copy of `spec` with `value` at `path`; undefined takes it away, and what is empty then around it. */
export function withValueAt(spec: Spec, path: Path, value: unknown): Spec {
  return (set(spec, path, value) as Spec | undefined) ?? {};
}

function set(node: unknown, [step, ...rest]: Path, value: unknown): unknown {
  if (step === undefined) return value;
  if (typeof step === "number") {
    const items = Array.isArray(node) ? [...node] : [];
    const made = set(items[step], rest, value);
    if (made === undefined && rest.length === 0) items.splice(step, 1);
    else items[step] = made ?? {};
    return items.length === 0 ? undefined : items;
  }
  const copy: Record<string, unknown> = isObject(node) ? { ...node } : {};
  const made = set(copy[step], rest, value);
  if (made === undefined) delete copy[step];
  else copy[step] = made;
  return Object.keys(copy).length === 0 ? undefined : copy;
}
