import { useEffect, useRef, useState } from "react";
import { useMe } from "@/api/me";
import { Filter, Search, SlidersHorizontal, User } from "@/ui/icons";
import { Popup } from "@/ui/Popup";
import { columnName } from "./columns";
import { FilterForm } from "./FilterForm";
import styles from "./Jobs.module.css";
import {
  activeFilters,
  COLUMN_IDS,
  type ColumnId,
  columnsForAddress,
  DEFAULT_COLUMNS,
  type JobsSearch,
} from "./search";
import { Views } from "./Views";

const PAUSE_MS = 250;

interface FilterBarProps {
  project: string;
  search: JobsSearch;
  onChange: (search: JobsSearch, replace?: boolean) => void;
}

export function FilterBar({ project, search, onChange }: FilterBarProps) {
  const username = useMe()?.username;
  const more = activeFilters(search).filter((name) => !["q", "phase", "by"].includes(name)).length;
  const isMine = username !== undefined && search.by === username;
  return (
    <div className={styles.bar}>
      <SearchField value={search.q ?? ""} onChange={(q) => onChange({ ...search, q: q || undefined }, true)} />
      {username !== undefined && (
        <button
          type="button"
          className={styles.tool}
          aria-pressed={isMine}
          onClick={() => onChange({ ...search, by: isMine ? undefined : username })}
        >
          <User aria-hidden="true" />
          Mine
        </button>
      )}
      <Popup
        label={more === 0 ? "Filters" : `Filters, ${more} chosen`}
        buttonClass={styles.tool}
        button={
          <>
            <Filter aria-hidden="true" />
            Filters
            {more > 0 && <span className={styles.count}>{more}</span>}
          </>
        }
      >
        {() => <FilterForm project={project} search={search} onChange={onChange} />}
      </Popup>
      <Views project={project} username={username} search={search} />
      <Popup
        label="Columns"
        align="end"
        buttonClass={styles.tool}
        button={
          <>
            <SlidersHorizontal aria-hidden="true" />
            Columns
          </>
        }
      >
        {() => (
          <Columns
            chosen={search.columns ?? DEFAULT_COLUMNS}
            onChange={(columns) => onChange({ ...search, columns: columnsForAddress(columns) }, true)}
          />
        )}
      </Popup>
    </div>
  );
}

/** Asks when the typing pauses, at once on Enter. Escape empties it. */
function SearchField({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const [text, setText] = useState(value);
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
    if (text === value) return undefined;
    const timer = setTimeout(() => {
      sent.current = text;
      latest.current(text);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, value]);
  return (
    <div className={styles.search}>
      <Search aria-hidden="true" />
      <input
        id="jobs-search"
        type="search"
        aria-label="Search jobs"
        placeholder="Name, tag=value, or id"
        maxLength={200}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") onChange(text);
          if (event.key === "Escape" && text === "") event.currentTarget.blur();
        }}
      />
    </div>
  );
}

function Columns({ chosen, onChange }: { chosen: readonly ColumnId[]; onChange: (columns: ColumnId[]) => void }) {
  const toggle = (id: ColumnId) => {
    const next = chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id];
    onChange(COLUMN_IDS.filter((one) => next.includes(one)));
  };
  return (
    <div className={styles.filters}>
      <fieldset className={styles.boxes}>
        <legend>Columns</legend>
        {COLUMN_IDS.filter((id) => id !== "name").map((id) => (
          <label key={id}>
            <input type="checkbox" checked={chosen.includes(id)} onChange={() => toggle(id)} />
            {columnName(id)}
          </label>
        ))}
      </fieldset>
    </div>
  );
}
