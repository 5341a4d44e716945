import { type RefObject, useEffect, useLayoutEffect, useState } from "react";
import { type LineLook, LogRow } from "./LogRow";
import styles from "./LogView.module.css";
import type { LogStore } from "./store";

export interface RowsProps {
  store: LogStore;
  /** Changes with the store, which itself stays the same object. */
  version: number;
  scroller: RefObject<HTMLDivElement | null>;
  look: LineLook;
  /** To be brought into the middle; a new object asks again. */
  target: { index: number } | null;
}

export const LINE_PX = 19;
const OVERSCAN = 30;

/** Lines of one height: where each stands is a multiplication, so that their number costs nothing. */
export function FixedRows({ store, version, scroller, look, target }: RowsProps) {
  const [first, setFirst] = useState(0);
  const [count, setCount] = useState(60);
  const total = store.length;

  // biome-ignore lint/correctness/useExhaustiveDependencies: new lines can change what is in view
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const look = () => {
      const top = Math.floor(element.scrollTop / LINE_PX) - OVERSCAN;
      // In steps, so that most scrolling renders nothing.
      setFirst(Math.max(0, top - (top % 10)));
      setCount(Math.ceil(element.clientHeight / LINE_PX) + 2 * OVERSCAN + 10);
    };
    look();
    element.addEventListener("scroll", look, { passive: true });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => {
      element.removeEventListener("scroll", look);
      observer.disconnect();
    };
  }, [scroller, version]);

  useEffect(() => {
    const element = scroller.current;
    if (element === null || target === null) return;
    element.scrollTop = Math.max(0, target.index * LINE_PX - element.clientHeight / 2);
  }, [scroller, target]);

  const start = Math.min(first, Math.max(0, total - 1));
  const shown = Array.from(
    { length: Math.max(0, Math.min(total, start + count) - start) },
    (_, index) => start + index,
  );
  return (
    <div className={styles.sheet} style={{ height: total * LINE_PX }}>
      <div className={styles.block} style={{ transform: `translateY(${start * LINE_PX}px)` }}>
        {shown.map((index) => {
          const line = store.row(index);
          return line && <LogRow key={index + store.trimmed} line={line} place={index + store.trimmed} look={look} />;
        })}
      </div>
    </div>
  );
}
