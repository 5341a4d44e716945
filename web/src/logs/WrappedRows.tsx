import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect } from "react";
import { LINE_PX, type RowsProps } from "./FixedRows";
import { LogRow } from "./LogRow";
import styles from "./LogView.module.css";

/** Lines that break at the edge: each is measured when it comes into view. */
export function WrappedRows({ store, scroller, look, target }: RowsProps) {
  const virtualizer = useVirtualizer({
    count: store.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_PX,
    getItemKey: (index) => index + store.trimmed,
    overscan: 20,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new target moves the view
  useEffect(() => {
    if (target !== null) virtualizer.scrollToIndex(target.index, { align: "center" });
  }, [target]);
  const items = virtualizer.getVirtualItems();
  return (
    <div className={styles.sheet} data-wrap style={{ height: virtualizer.getTotalSize() }}>
      <div className={styles.block} style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}>
        {items.map(({ index, key }) => {
          const line = store.row(index);
          return (
            line && (
              <div key={key as number} ref={virtualizer.measureElement} data-index={index}>
                <LogRow line={line} place={index + store.trimmed} look={look} />
              </div>
            )
          );
        })}
      </div>
    </div>
  );
}
