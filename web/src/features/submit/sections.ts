/** How the fields of a job are arranged. Pure. */
import { isObject } from "./schema";

export interface Section {
  title: string;
  /** Names of top-level fields. */
  fields: readonly string[];
  open: boolean;
}

const SECTIONS: readonly Section[] = [
  { title: "What runs", fields: ["entrypoint", "name", "package", "kind"], open: true },
  { title: "Machines", fields: ["cluster", "resources"], open: true },
  { title: "Environment", fields: ["environment"], open: false },
  {
    title: "Time, priority and retries",
    fields: ["priority", "timeout", "deadline", "grace", "retries", "checkpoint"],
    open: false,
  },
  { title: "Tracking and model", fields: ["run", "model"], open: false },
];

/** Every field that the platform knows, in sections. A field that is new in the API shows by itself, in "More". */
export function sectionsOf(names: readonly string[]): Section[] {
  const placed = new Set(SECTIONS.flatMap(({ fields }) => fields));
  const more = names.filter((name) => !placed.has(name));
  const known = SECTIONS.map((section) => ({
    ...section,
    fields: section.fields.filter((name) => names.includes(name)),
  }));
  return more.length === 0 ? known : [...known, { title: "More", fields: more, open: false }];
}

/** `workers`, `workers-2`, …: what the command line calls its one group. */
export function freeName(items: readonly unknown[]): string {
  const taken = new Set(items.map((item) => (isObject(item) ? item.name : undefined)));
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? "workers" : `workers-${number}`;
    if (!taken.has(name)) return name;
  }
}
