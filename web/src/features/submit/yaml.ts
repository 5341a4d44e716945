/** A job as `mlp.yaml`, and back, by the rules of the command line: YAML 1.2, only `true` and `false` are truth values. Pure. */
import { Document, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, type Scalar, visit } from "yaml";
import { type Spec, withValueAt } from "./schema";

/** What is wrong in a text, and in which line. */
export interface YamlProblem {
  line: number;
  message: string;
}

export type YamlReading =
  | { spec: Spec; problem: null; lineOf: (field: string) => number | null }
  | { spec: null; problem: YamlProblem };

/** Words that need no quotes: whatever reads them, they are the same text. */
const PLAIN = /^[A-Za-z_/][\w./:@+-]*( [\w./:@=+-]+)*$/;
const RESERVED = /^(true|false|null|yes|no|on|off|y|n|nan|inf)$/i;

/**
 * The job file of `spec`. Without a package it says so: the command line would send the folder beside the file else.
 *
 * Texts stand in quotes wherever a reader could take them for something else.
 */
export function toYaml(spec: Spec): string {
  const document = new Document(spec.package === undefined ? withValueAt(spec, ["package"], null) : spec);
  visit(document, {
    Scalar(key, node) {
      if (key === "key" || typeof node.value !== "string") return;
      node.type = styleOf(node.value);
    },
  });
  return document.toString({ lineWidth: 0, nullStr: "null", doubleQuotedMinMultiLineLength: 1_000_000 });
}

function styleOf(text: string): Scalar.Type {
  if (PLAIN.test(text) && !RESERVED.test(text) && !text.endsWith(":") && !text.includes(": ")) return "PLAIN";
  const isBlock = /^\S[^\r\t]*\n/.test(text) && !/[^\x20-\x7e\n]|[ \n]\n?$|\n\n$| \n/.test(text.replace(/\n$/, ""));
  return isBlock ? "BLOCK_LITERAL" : "QUOTE_DOUBLE";
}

/** Below these everything is text as it was written: `OMP_NUM_THREADS: 1` is a variable, not a number. */
const TEXTS = ["environment.variables.", "run.tags."];
const TEXT_FIELDS = ["name", "environment.python", "run.experiment"];
const INTEGER = /^[-+]?(0|[1-9][0-9_]*)$/;
const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;

/** The job in `text`, or what is wrong and where. */
export function fromYaml(text: string): YamlReading {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    schema: "failsafe",
    lineCounter: lines,
    uniqueKeys: true,
    prettyErrors: false,
  });
  const error = document.errors[0];
  if (error !== undefined) return refused(lines.linePos(error.pos[0]).line, error.message);
  const root = document.contents;
  if (root === null) return { spec: {}, problem: null, lineOf: () => null };
  if (!isMap(root)) return refused(1, "must be names with values, such as entrypoint: python train.py");
  const positions = new Map<string, number>();
  const spec = plain(root, "", (field, node) => {
    if (node.range) positions.set(field, lines.linePos(node.range[0]).line);
  }) as Spec;
  const lineOf = (field: string) => nearestLine(field, positions);
  return withShortForms(spec, lineOf);
}

/** What only a file can say: a named environment in one word; folders and files beside it, which a browser does not have. */
function withShortForms(spec: Spec, lineOf: (field: string) => number | null): YamlReading {
  const given = { ...spec };
  if (typeof given.environment === "string") given.environment = { name: given.environment };
  const { environment } = given as { environment?: { requirements?: unknown } };
  if (typeof environment?.requirements === "string") {
    return refused(
      lineOf("environment.requirements") ?? 1,
      "a file cannot be read from here; list the requirements themselves",
    );
  }
  if (typeof given.package === "string" && !given.package.startsWith("sha256:")) {
    const line = lineOf("package") ?? 1;
    return refused(
      line,
      "a folder cannot be sent from here; name an uploaded package by its digest, or use mlp job submit",
    );
  }
  if (given.package === null) delete given.package;
  return { spec: given, problem: null, lineOf };
}

function refused(line: number, message: string): YamlReading {
  return { spec: null, problem: { line, message } };
}

function plain(node: unknown, field: string, note: (field: string, node: Node) => void): unknown {
  if (isMap(node)) {
    const pairs = node.items.map(({ key, value }) => {
      const name = isScalar(key) ? String(key.value ?? "") : String(key);
      const inner = field === "" ? name : `${field}.${name}`;
      if (isScalar(key)) note(inner, key);
      return [name, plain(value, inner, note)] as const;
    });
    return Object.fromEntries(pairs);
  }
  if (isSeq(node)) {
    return node.items.map((item, index) => {
      const inner = `${field}.${index}`;
      if (isScalar(item) || isMap(item)) note(inner, item);
      return plain(item, inner, note);
    });
  }
  return isScalar(node) ? scalar(node, field) : null;
}

function scalar(node: Scalar, field: string): unknown {
  const text = String(node.value ?? "");
  const isText = TEXT_FIELDS.includes(field) || TEXTS.some((prefix) => field.startsWith(prefix));
  if (node.type !== "PLAIN" || isText) return text;
  if (text === "" || text === "~" || text === "null") return null;
  if (text === "true" || text === "false") return text === "true";
  if (INTEGER.test(text)) return Number(text.replaceAll("_", ""));
  return FLOAT.test(text) ? Number(text) : text;
}

/** The line of `field`, or of what stands around it. */
function nearestLine(field: string, positions: ReadonlyMap<string, number>): number | null {
  for (let name = field; name !== ""; name = name.slice(0, Math.max(0, name.lastIndexOf(".")))) {
    const line = positions.get(name);
    if (line !== undefined) return line;
  }
  return null;
}
