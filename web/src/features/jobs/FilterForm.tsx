import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { SelectField, TextField } from "@/ui/Field";
import { inWords } from "@/ui/status";
import styles from "./Jobs.module.css";
import { clustersQuery } from "./queries";
import { FAILURE_CLASSES, type JobsSearch, KINDS } from "./search";

interface FilterFormProps {
  project: string;
  search: JobsSearch;
  onChange: (search: JobsSearch, replace?: boolean) => void;
}

const BACK = [
  ["", "At any time"],
  ["1h", "In the last hour"],
  ["24h", "In the last 24 hours"],
  ["7d", "In the last 7 days"],
  ["30d", "In the last 30 days"],
] as const;
const PACKAGE = /^sha256:[0-9a-f]{64}$/;

/** Filters that are used less often; each acts at once. */
export function FilterForm({ project, search, onChange }: FilterFormProps) {
  const clusters = useQuery(clustersQuery(project)).data?.items ?? [];
  const set = (part: Partial<JobsSearch>) => onChange({ ...search, ...part }, true);
  const isInstant = (text: string | undefined) => text !== undefined && /^\d{4}-/.test(text);
  const clusterOptions = [
    ["", "Any, or an own one"],
    ...clusters.map(({ id, name }) => [name ?? id, name ?? id] as const),
    ...(search.cluster !== undefined && !clusters.some(({ name, id }) => (name ?? id) === search.cluster)
      ? [[search.cluster, search.cluster] as const]
      : []),
  ] as const;
  return (
    <div className={styles.filters}>
      <Boxes
        legend="Failure"
        words={FAILURE_CLASSES}
        chosen={search.failure}
        onChange={(failure) => set({ failure })}
      />
      <Boxes legend="Kind" words={KINDS} chosen={search.kind} onChange={(kind) => set({ kind })} />
      <TextField
        label="Owner"
        value={search.by ?? ""}
        maxLength={100}
        autoComplete="off"
        hint="A username, exactly."
        onChange={(by) => set({ by: by || undefined })}
      />
      <SelectField
        label="Cluster"
        value={search.cluster ?? ""}
        options={clusterOptions}
        onChange={(cluster) => set({ cluster: cluster || undefined })}
      />
      <SelectField
        label="Created"
        value={isInstant(search.since) ? "" : ((search.since ?? "") as (typeof BACK)[number][0])}
        options={BACK}
        onChange={(since) => set({ since: since || undefined })}
      />
      <TextField
        label="Created after (UTC)"
        type="datetime-local"
        value={isInstant(search.since) ? toField(search.since) : ""}
        onChange={(text) => set({ since: fromField(text) })}
      />
      <TextField
        label="Created before (UTC)"
        type="datetime-local"
        value={isInstant(search.until) ? toField(search.until) : ""}
        onChange={(text) => set({ until: fromField(text) })}
      />
      <PackageField value={search.package ?? ""} onChange={(digest) => set({ package: digest })} />
    </div>
  );
}

/** Acts once the digest is whole; what is typed until then is no filter. */
function PackageField({ value, onChange }: { value: string; onChange: (digest: string | undefined) => void }) {
  const [text, setText] = useState(value);
  const change = (typed: string) => {
    setText(typed);
    const digest = typed.trim();
    if (digest === "" || PACKAGE.test(digest)) onChange(digest || undefined);
  };
  const isPart = text.trim() !== "" && !PACKAGE.test(text.trim());
  return (
    <TextField
      label="Package"
      value={text}
      autoComplete="off"
      spellCheck={false}
      hint="The whole digest, sha256:…"
      error={isPart ? "The digest is not whole yet." : undefined}
      onChange={change}
    />
  );
}

interface BoxesProps<T extends string> {
  legend: string;
  words: readonly T[];
  chosen: readonly T[] | undefined;
  onChange: (chosen: T[] | undefined) => void;
}

function Boxes<T extends string>({ legend, words, chosen = [], onChange }: BoxesProps<T>) {
  const toggle = (word: T) => {
    const next = chosen.includes(word) ? chosen.filter((one) => one !== word) : [...chosen, word];
    onChange(next.length === 0 ? undefined : next);
  };
  return (
    <fieldset className={styles.boxes}>
      <legend>{legend}</legend>
      {words.map((word) => (
        <label key={word}>
          <input type="checkbox" checked={chosen.includes(word)} onChange={() => toggle(word)} />
          {inWords(word)}
        </label>
      ))}
    </fieldset>
  );
}

/** `2026-12-01T08:00:00Z` → what the browser's field holds; the field means UTC. */
function toField(instant: string | undefined): string {
  return instant === undefined ? "" : new Date(instant).toISOString().slice(0, 16);
}

function fromField(text: string): string | undefined {
  return text === "" || Number.isNaN(Date.parse(`${text}Z`)) ? undefined : `${text}:00Z`;
}
