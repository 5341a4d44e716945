import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { eventStream, type PlatformEvent } from "./stream";

const SETTLE_MS = 300;

/**
 * While the component is shown: read the answers of `path` again when the stream tells of a `resource`, or may have missed
 * something. A burst of events costs one reading. For lists; what is about one id is kept live by `keepCacheLive`.
 */
export function useReadAgain(path: string, resource: PlatformEvent["resource"]): void {
  const queries = useQueryClient();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    // Of a first connection nothing can be missing: what is shown was read a moment ago.
    let isFirst = eventStream.status.get().state !== "live";
    const soon = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void queries.invalidateQueries({ queryKey: ["get", path] });
      }, SETTLE_MS);
    };
    const stop = eventStream.subscribe({
      event(event) {
        if (event.resource === resource) soon();
      },
      gap() {
        if (!isFirst) soon();
        isFirst = false;
      },
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [queries, path, resource]);
}
