import { useDeferredValue, useEffect, useRef, useState } from "react";
import { formatBytes, formatCount } from "@/lib/format";
import { useShortcut } from "@/shortcuts/registry";
import { Button, ButtonLink, IconButton } from "@/ui/Button";
import { ArrowDown, ArrowUp, Download } from "@/ui/icons";
import { useJobSearch } from "../address";
import { type Attempt, downloads, type Job } from "../queries";
import type { Source } from "./LogPane";
import styles from "./LogPane.module.css";

interface LogToolbarProps {
  job: Job;
  attempt: number;
  attempts: readonly Attempt[];
  sources: readonly Source[];
  matches: readonly number[];
  active: number | null;
  onStep: (direction: 1 | -1) => void;
  onTrouble: () => void;
}

export function LogToolbar({ job, attempt, attempts, sources, matches, active, onStep, onTrouble }: LogToolbarProps) {
  const [search, change] = useJobSearch();
  const { source, q = "", only, case: isCaseSensitive, wrap, times } = search;
  const exact = sources.find((one) => one.source === source);
  const size = (exact === undefined ? sources : [exact]).reduce((sum, { bytes }) => sum + bytes, 0);
  return (
    <div className={styles.tools} role="toolbar" aria-label="Log tools">
      {attempts.length > 1 && (
        <select
          aria-label="Attempt"
          value={attempt}
          onChange={(event) => change({ attempt: Number(event.target.value), line: undefined })}
        >
          {attempts.map(({ number, outcome, phase }) => (
            <option key={number} value={number}>
              Attempt {number}: {outcome ?? phase}
            </option>
          ))}
        </select>
      )}
      <SourceChoice sources={sources} value={source} onChange={(next) => change({ source: next, line: undefined })} />
      <SearchField
        value={q}
        onChange={(text) => change({ q: text || undefined, only: text === "" ? undefined : only })}
        onStep={onStep}
      />
      {q !== "" && (
        <>
          <span className={styles.count} role="status">
            {matches.length === 0 ? "No match" : `${place(matches, active)} of ${formatCount(matches.length)}`}
          </span>
          <IconButton label="Match before (N)" disabled={matches.length === 0} onClick={() => onStep(-1)}>
            <ArrowUp aria-hidden="true" />
          </IconButton>
          <IconButton label="Next match (n)" disabled={matches.length === 0} onClick={() => onStep(1)}>
            <ArrowDown aria-hidden="true" />
          </IconButton>
          <Toggle
            label="Only matches"
            title="Search the whole log on the platform, and show the lines that match"
            on={only}
            onChange={(on) => change({ only: on, line: undefined })}
          />
          <Toggle label="Aa" title="Match case" on={isCaseSensitive} onChange={(on) => change({ case: on })} />
        </>
      )}
      <span className={styles.end}>
        <Button kind="quiet" title="Go to the first line that speaks of an error (e)" onClick={onTrouble}>
          First error
        </Button>
        <Toggle
          label="Times"
          title="Show when each line was read"
          on={times}
          onChange={(on) => change({ times: on })}
        />
        <Toggle label="Wrap" title="Break long lines (w)" on={wrap} onChange={(on) => change({ wrap: on })} />
        <ButtonLink
          kind="quiet"
          href={downloads.log({ project: job.project, job: job.id }, attempt, exact?.source)}
          download
          title={exact === undefined ? "Every source, byte for byte, as a tar archive" : "Byte for byte"}
          icon={<Download aria-hidden="true" />}
        >
          Raw {size > 0 && <span className="numeric">{formatBytes(size)}</span>}
        </ButtonLink>
      </span>
    </div>
  );
}

function place(matches: readonly number[], active: number | null): string {
  const index = active === null ? -1 : matches.indexOf(active);
  return index < 0 ? "–" : formatCount(index + 1);
}

interface ToggleProps {
  label: string;
  title: string;
  on: true | undefined;
  onChange: (on: true | undefined) => void;
}

function Toggle({ label, title, on, onChange }: ToggleProps) {
  return (
    <Button
      kind="quiet"
      aria-pressed={on === true}
      title={title}
      onClick={() => onChange(on === true ? undefined : true)}
    >
      {label}
    </Button>
  );
}

interface SourceChoiceProps {
  sources: readonly Source[];
  value: string | undefined;
  onChange: (source: string | undefined) => void;
}

/** All together, all workers, or one process. One that is in the address but has written nothing yet is there too. */
function SourceChoice({ sources, value, onChange }: SourceChoiceProps) {
  const names = sources.map(({ source }) => source);
  const known = value === undefined || value === "worker" || names.includes(value);
  if (sources.length < 2 && known && value === undefined) return null;
  return (
    <select aria-label="Source" value={value ?? ""} onChange={(event) => onChange(event.target.value || undefined)}>
      <option value="">All sources ({sources.length})</option>
      {names.some((name) => name !== "driver") && <option value="worker">All workers</option>}
      {sources.map(({ source, lines }) => (
        <option key={source} value={source}>
          {source} ({formatCount(lines)})
        </option>
      ))}
      {!known && <option value={value}>{value}</option>}
    </select>
  );
}

interface SearchFieldProps {
  value: string;
  onChange: (text: string) => void;
  onStep: (direction: 1 | -1) => void;
}

const SETTLE_MS = 150;

/** What is typed is searched for a moment later: a search looks at every line. */
function SearchField({ value, onChange, onStep }: SearchFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(value);
  const settled = useDeferredValue(text);
  const latest = useRef(onChange);
  useEffect(() => {
    latest.current = onChange;
  });
  // What comes back from here is no news: by then more may have been typed.
  const sent = useRef(value);
  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    setText(value);
  }, [value]);
  useEffect(() => {
    if (settled === value) return undefined;
    const timer = setTimeout(() => {
      sent.current = settled;
      latest.current(settled);
    }, SETTLE_MS);
    return () => clearTimeout(timer);
  }, [settled, value]);
  useShortcut("/", "Search the log", "Log", () => field.current?.select());
  return (
    <input
      ref={field}
      type="search"
      aria-label="Search the log"
      placeholder="Search"
      value={text}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={(event) => {
        if (event.key !== "Enter") return;
        event.preventDefault();
        onStep(event.shiftKey ? -1 : 1);
      }}
    />
  );
}
