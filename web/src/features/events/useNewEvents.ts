import { useCallback, useEffect, useState } from "react";
import { eventStream } from "@/api/stream";
import { passes } from "./filter";
import type { EventFilter } from "./queries";

/** How many events came since the list was read. They are counted, not put in: nothing moves under the pointer. */
export function useNewEvents(filter: EventFilter): [count: number, forget: () => void] {
  const [count, setCount] = useState(0);
  useEffect(() => {
    setCount(0);
    return eventStream.subscribe({
      event(event) {
        if (passes(event, filter)) setCount((now) => now + 1);
      },
    });
  }, [filter]);
  const forget = useCallback(() => setCount(0), []);
  return [count, forget];
}
