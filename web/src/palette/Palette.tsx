import { useRouter } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { findProject, useMe } from "@/api/me";
import { features } from "@/features/registry";
import { useProjectOrNone } from "@/shell/project";
import { Dialog } from "@/ui/Dialog";
import { arrange, commandEntries, type Entry, jobEntries, pageEntries, projectEntries } from "./entries";
import styles from "./Palette.module.css";
import { useFoundJobs } from "./useFoundJobs";

const NAV = features.flatMap((feature) => feature.nav ?? []);

/** Every page, job, action and project by a few letters. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState(0);
  const listId = useId();
  const entries = useEntries(query);
  const current = Math.min(chosen, Math.max(0, entries.length - 1));
  const list = useRef<HTMLDivElement>(null);

  useEffect(() => {
    list.current?.querySelector(`[data-position="${current}"]`)?.scrollIntoView({ block: "nearest" });
  }, [current]);
  const open = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    onClose();
    entry.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const count = Math.max(1, entries.length);
    if (event.key === "ArrowDown") setChosen((current + 1) % count);
    else if (event.key === "ArrowUp") setChosen((current - 1 + count) % count);
    else if (event.key === "Enter") open(entries[current]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Search" onClose={onClose} width={600}>
      <input
        className={styles.input}
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={entries.length > 0 ? `${listId}-${current}` : undefined}
        aria-label="Search pages, jobs and actions"
        placeholder="Pages, jobs, actions, projects"
        autoFocus
        value={query}
        onKeyDown={onKeyDown}
        onChange={(event) => {
          setQuery(event.target.value);
          setChosen(0);
        }}
      />
      <div ref={list} id={listId} role="listbox" aria-label="Found" className={styles.list}>
        {entries.map((entry, position) => (
          <Option
            key={entry.id}
            entry={entry}
            id={`${listId}-${position}`}
            position={position}
            heading={entry.group !== entries[position - 1]?.group}
            selected={position === current}
            onOpen={open}
            onPoint={setChosen}
          />
        ))}
      </div>
      {entries.length === 0 && <p className={styles.none}>Nothing is called that.</p>}
    </Dialog>
  );
}

interface OptionProps {
  entry: Entry;
  id: string;
  position: number;
  heading: boolean;
  selected: boolean;
  onOpen: (entry: Entry) => void;
  onPoint: (position: number) => void;
}

function Option({ entry, id, position, heading, selected, onOpen, onPoint }: OptionProps) {
  const Icon = entry.icon;
  return (
    <>
      {heading && (
        <div className={styles.group} role="presentation">
          {entry.group}
        </div>
      )}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard acts in the field above, as a combobox does */}
      <div
        id={id}
        role="option"
        aria-selected={selected}
        data-position={position}
        className={styles.option}
        onClick={() => onOpen(entry)}
        onPointerMove={() => onPoint(position)}
      >
        {Icon !== undefined && <Icon aria-hidden="true" />}
        <span className={styles.label}>{entry.label}</span>
        {entry.detail !== undefined && <span className={styles.detail}>{entry.detail}</span>}
      </div>
    </>
  );
}

function useEntries(query: string): Entry[] {
  const router = useRouter();
  const project = useProjectOrNone();
  const me = useMe();
  const jobs = useFoundJobs(project, query);
  return useMemo(() => {
    const go = (href: string) => router.history.push(href);
    const isAdmin = me?.is_admin === true;
    const role = project === null ? null : (findProject(me, project)?.role ?? null);
    const commands = features.flatMap((feature) => feature.commands?.({ project, role, isAdmin }, go) ?? []);
    const all = [
      ...pageEntries(NAV, project, isAdmin, go),
      ...(project === null ? [] : jobEntries(project, jobs, go)),
      ...commandEntries(commands),
      ...projectEntries(me?.projects ?? [], project, go),
    ];
    return arrange(all, query);
  }, [query, jobs, project, me, router]);
}
