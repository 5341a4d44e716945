import { useEffect, useMemo } from "react";
import { LogFeed } from "@/logs/feed";
import { LogStore, MOST_LINES } from "@/logs/store";
import { type LogRequest, readsOf } from "./reads";

/** With fewer lines the whole log is loaded, else its end. */
const MOST_AT_ONCE = MOST_LINES - 50_000;

/** The lines that are asked for, filled as long as the component is shown. Another request is another store. */
export function useLog({ project, job, attempt, source, grep, ignoreCase }: LogRequest): {
  store: LogStore;
  feed: LogFeed;
} {
  const log = useMemo(() => {
    const store = new LogStore(grep === undefined);
    const reads = readsOf({ project, job, attempt, source, grep, ignoreCase });
    return { store, feed: new LogFeed(store, reads, MOST_AT_ONCE) };
  }, [project, job, attempt, source, grep, ignoreCase]);
  useEffect(() => {
    const control = new AbortController();
    void log.feed.run(control.signal);
    return () => control.abort();
  }, [log]);
  return log;
}
