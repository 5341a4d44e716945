import { useState } from "react";
import { formatCount, plural } from "@/lib/format";
import type { FeedState } from "@/logs/feed";
import type { LogStore } from "@/logs/store";
import { Button } from "@/ui/Button";
import { notifyFailed } from "@/ui/notify";
import { hasEnded } from "@/ui/status";
import { useJobSearch } from "../address";
import type { Job } from "../queries";
import type { Source } from "./LogPane";
import styles from "./LogPane.module.css";
import { readPage } from "./reads";

interface LogNoticesProps {
  job: Job;
  attempt: number;
  isCurrent: boolean;
  store: LogStore;
  source: string | undefined;
  sources: readonly Source[];
  state: FeedState;
}

/** What the lines alone do not say: that some are not loaded, that others may come, that there is a newer attempt. */
export function LogNotices({ job, attempt, isCurrent, store, source, sources, state }: LogNoticesProps) {
  const [, change] = useJobSearch();
  return (
    <div className={styles.notices}>
      <p className={styles.state} role="status">
        {stateInWords(state, store, job)}
      </p>
      {!isCurrent && job.attempt > attempt && (
        <p className={styles.notice}>
          Attempt {job.attempt} is newer.
          <Button kind="quiet" onClick={() => change({ attempt: job.attempt, line: undefined })}>
            Show attempt {job.attempt}
          </Button>
        </p>
      )}
      {store.hiddenBefore > 0 && (
        <p className={styles.notice}>
          {plural(store.hiddenBefore, "earlier line is", "earlier lines are")} not loaded.
          {source === undefined && sources.length > 1 ? (
            " Choose one source to load them, search with “Only matches”, or download the log."
          ) : (
            <EarlierLines job={job} attempt={attempt} source={source ?? sources[0]?.source} store={store} />
          )}
        </p>
      )}
    </div>
  );
}

const STEP = 10_000;

interface EarlierLinesProps {
  job: Job;
  attempt: number;
  source: string | undefined;
  store: LogStore;
}

function EarlierLines({ job, attempt, source, store }: EarlierLinesProps) {
  const [busy, setBusy] = useState(false);
  const first = store.rows.find(({ kind }) => kind === "line")?.number ?? 0;
  if (source === undefined || source === "worker" || first === 0) return null;
  const load = async () => {
    setBusy(true);
    try {
      const query = { attempt, source: [source], start_line: Math.max(0, first - STEP), end_line: first, limit: STEP };
      const { items } = await readPage({ project: job.project, job: job.id }, query);
      store.prepend(items);
    } catch (error) {
      notifyFailed("load earlier lines", error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button kind="quiet" busy={busy} onClick={() => void load()}>
      Load {formatCount(Math.min(STEP, first))} earlier
    </Button>
  );
}

function stateInWords(state: FeedState, store: LogStore, job: Job): string {
  const lines = plural(store.rows.length, "line");
  switch (state.kind) {
    case "loading":
      return store.rows.length === 0 ? "Loading the log" : `Loading the log: ${lines} so far`;
    case "live":
      return store.length === 0 ? "Nothing written yet. Lines appear here as they come." : `${lines}, live`;
    case "reconnecting":
      return `${lines}. Reconnecting; nothing will be lost.`;
    case "failed":
      return `${lines}. ${state.error.detail}`;
    case "ended":
      if (store.length > 0) return `${lines}, complete`;
      return hasEnded(job.phase) ? "It wrote nothing, or its log was removed after its time." : "It wrote nothing.";
  }
}
