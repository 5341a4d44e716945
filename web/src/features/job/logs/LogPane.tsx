import { type RefObject, useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { useStore } from "@/lib/store";
import type { Query } from "@/logs/find";
import { firstTrouble, nextMatch, Search } from "@/logs/find";
import { parseLineAddress } from "@/logs/LogRow";
import { LogView, type LogViewHandle } from "@/logs/LogView";
import type { LogStore } from "@/logs/store";
import { usePreferences } from "@/preferences/preferences";
import { useShortcut } from "@/shortcuts/registry";
import { announce } from "@/ui/announce";
import { ErrorPanel } from "@/ui/states";
import { useJobHref, useJobSearch } from "../address";
import type { Attempt, Job } from "../queries";
import { LogNotices } from "./LogNotices";
import styles from "./LogPane.module.css";
import { LogToolbar } from "./LogToolbar";
import { useLog } from "./use-log";

export interface Source {
  source: string;
  lines: number;
  bytes: number;
}

interface LogPaneProps {
  job: Job;
  attempt: number;
  attempts: readonly Attempt[];
  sources: readonly Source[];
  isCurrent: boolean;
}

/** The viewer with its tools. All of its state that somebody else could want to see is in the address. */
export function LogPane({ job, attempt, attempts, sources, isCurrent }: LogPaneProps) {
  const [search, change] = useJobSearch();
  const { q = "", only, case: isCaseSensitive = false, source, line, wrap = false, times = false } = search;
  const grep = only === true && q !== "" ? q : undefined;
  const { store, feed } = useLog({
    project: job.project,
    job: job.id,
    attempt,
    source,
    grep,
    ignoreCase: !isCaseSensitive,
  });
  const version = useSyncExternalStore(store.subscribe, () => store.version);
  const state = useStore(feed.state);
  const zone = usePreferences().times === "local" ? "local" : "utc";
  const view = useRef<LogViewHandle>(null);
  const [isFollowing, setFollowing] = useState(line === undefined && q === "");
  const [active, setActive] = useState<number | null>(null);
  const [total, setTotal] = useState(store.length);
  const query: Query = useMemo(() => ({ text: q, isCaseSensitive }), [q, isCaseSensitive]);
  const found = useFound(store, version, query);

  const show = useCallback(
    (place: number) => {
      setFollowing(false);
      setActive(place);
      view.current?.show(place - store.trimmed);
    },
    [store],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: of other lines none is pointed at yet
  useEffect(() => setActive(null), [store]);
  const shown = useShownLine(store, version, line, show);
  const step = (direction: 1 | -1) => {
    const from = active ?? (direction === 1 ? store.trimmed - 1 : Number.POSITIVE_INFINITY);
    const place = nextMatch(found, from, direction);
    if (place === undefined) return;
    show(place);
    announce(`Match ${found.indexOf(place) + 1} of ${found.length}`);
  };
  const trouble = () => {
    const index = firstTrouble(store);
    if (index >= 0) show(index + store.trimmed);
    else announce("No line speaks of an error");
  };
  useEffect(() => {
    if (isFollowing) setTotal(store.trimmed + store.length);
  });
  useShortcut("f", "Follow the log", "Log", () => setFollowing(!isFollowing));
  useShortcut("n", "Next match", "Log", () => step(1), found.length > 0);
  useShortcut("shift+n", "Match before", "Log", () => step(-1), found.length > 0);
  useShortcut("e", "First error", "Log", trouble);
  useShortcut("w", "Wrap lines", "Log", () => change({ wrap: wrap ? undefined : true }));

  const hrefOfTab = useJobHref();
  const hrefOf = useCallback(
    (address: string) => hrefOfTab({ ...search, tab: "logs", attempt, line: address }),
    [hrefOfTab, search, attempt],
  );
  const onLine = useCallback(
    (address: string) => {
      // It is in view already: pointing at it must not move it.
      shown.current = address;
      const wanted = parseLineAddress(address);
      const index = wanted === null ? -1 : store.find(wanted.source, wanted.number);
      if (index >= 0) setActive(index + store.trimmed);
      setFollowing(false);
      change({ line: address, attempt });
      void navigator.clipboard?.writeText(new URL(hrefOf(address), globalThis.location.href).href).then(
        () => announce("Copied the link to the line"),
        () => announce("The link to the line is in the address bar"),
      );
    },
    [change, hrefOf, attempt, store, shown],
  );
  if (state.kind === "failed" && store.length === 0) {
    return <ErrorPanel what="load the log" error={state.error} onRetry={() => globalThis.location.reload()} />;
  }
  return (
    <section className={styles.pane} aria-label="Log">
      <LogToolbar
        job={job}
        attempt={attempt}
        attempts={attempts}
        sources={sources}
        matches={found}
        active={active}
        onStep={step}
        onTrouble={trouble}
      />
      <LogNotices
        job={job}
        attempt={attempt}
        isCurrent={isCurrent}
        store={store}
        source={source}
        sources={sources}
        state={state}
      />
      <div className={styles.view}>
        <LogView
          ref={view}
          store={store}
          label={`Log of attempt ${attempt}`}
          query={query}
          wrap={wrap}
          times={times ? zone : null}
          active={active}
          isFollowing={isFollowing}
          onFollow={setFollowing}
          onLine={onLine}
          hrefOf={hrefOf}
        />
        {!isFollowing && (
          <button type="button" className={styles.follow} onClick={() => setFollowing(true)}>
            {newLines(store.trimmed + store.length - total, state.kind)}
          </button>
        )}
      </div>
    </section>
  );
}

function newLines(count: number, state: string): string {
  const go = state === "ended" ? "Go to the end" : "Follow";
  return count > 0 ? `${count} new ${count === 1 ? "line" : "lines"} · ${go}` : go;
}

/** Rows that match, as lines come. */
function useFound(store: LogStore, version: number, query: Query): readonly number[] {
  const search = useMemo(() => (query.text === "" ? null : new Search(store, query)), [store, query]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever lines came
  return useMemo(() => [...(search?.update() ?? [])], [search, version]);
}

/** Goes to the line in the address once it is there; once for each address. */
function useShownLine(
  store: LogStore,
  version: number,
  line: string | undefined,
  show: (place: number) => void,
): RefObject<string | null> {
  const shown = useRef<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever lines came
  useEffect(() => {
    const wanted = line === undefined ? null : parseLineAddress(line);
    if (wanted === null || line === undefined || shown.current === line) return;
    const index = store.find(wanted.source, wanted.number);
    if (index < 0) return;
    shown.current = line;
    show(index + store.trimmed);
  }, [store, version, line, show]);
  return shown;
}
