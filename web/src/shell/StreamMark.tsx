import { useEffect, useState } from "react";
import { eventStream } from "@/api/stream";
import { useStore } from "@/lib/store";
import { Wifi, WifiOff } from "@/ui/icons";
import { Duration } from "@/ui/Time";
import styles from "./StreamMark.module.css";

const TOLERATED_MS = 3000;

/** Whether the page hears of changes at once. A short interruption is nobody's business. */
export function StreamMark() {
  const { state, since } = useStore(eventStream.status);
  const away = useAfter(state === "reconnecting" || state === "connecting", TOLERATED_MS);
  if (state === "off") return null;
  return (
    <span className={styles.mark} data-away={away || undefined} role="status">
      {away ? (
        <>
          <WifiOff aria-hidden="true" />
          <span>
            Reconnecting, <Duration since={new Date(since).toISOString()} />
          </span>
        </>
      ) : (
        <span title="Changes appear at once" className={styles.live}>
          <Wifi aria-hidden="true" />
          <span className="visually-hidden">Live</span>
        </span>
      )}
    </span>
  );
}

function useAfter(condition: boolean, milliseconds: number): boolean {
  const [over, setOver] = useState(false);
  useEffect(() => {
    if (!condition) {
      setOver(false);
      return undefined;
    }
    const timer = setTimeout(() => setOver(true), milliseconds);
    return () => clearTimeout(timer);
  }, [condition, milliseconds]);
  return condition && over;
}
