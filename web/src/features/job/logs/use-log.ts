import { useEffect, useMemo } from "react";
import { LogFeed } from "@/logs/feed";
import { LogStore, MOST_LINES } from "@/logs/store";
import { type LogRequest, readsOf } from "./reads";

/** With fewer lines the whole log is loaded, else its end. */
const MOST_AT_ONCE = MOST_LINES - 50_000;
/** Browsers allow only six connections to one platform. */
const HIDDEN_MS = 60_000;

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
  useEffect(() => runWhileSeen(log.feed), [log]);
  return log;
}

/** A hidden tab gives its connection back after a minute, and goes on where it was when it is seen again. */
function runWhileSeen(feed: LogFeed): () => void {
  let control = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onVisibility = () => {
    clearTimeout(timer);
    if (document.hidden) {
      timer = setTimeout(() => control.abort(), HIDDEN_MS);
    } else if (control.signal.aborted && !["ended", "failed"].includes(feed.state.get().kind)) {
      control = new AbortController();
      void feed.run(control.signal);
    }
  };
  document.addEventListener("visibilitychange", onVisibility);
  void feed.run(control.signal);
  return () => {
    document.removeEventListener("visibilitychange", onVisibility);
    clearTimeout(timer);
    control.abort();
  };
}
