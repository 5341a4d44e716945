import { useVirtualizer } from "@tanstack/react-virtual";
import {
  type CSSProperties,
  type KeyboardEvent,
  memo,
  type ReactNode,
  useCallback,
  useEffect,
  useRef,
  useState,
} from "react";
import { usePreferences } from "@/preferences/preferences";
import type { Column, DataTableProps } from "./DataTable";
import styles from "./DataTable.module.css";

const ROW = { normal: 38, compact: 30 } as const;
const NOTE = 24;
const OVERSCAN = 12;
/** So many rows before the end the next page is asked for. */
const AHEAD = 20;

interface TableRowsProps<Row> extends DataTableProps<Row> {
  head: ReactNode;
  tracks: CSSProperties;
}

/** The scrolling half of a table, apart from everything that does not scroll. */
export function TableRows<Row>(props: TableRowsProps<Row>) {
  const { label, rows, columns, rowKey, rowHref, rowName, rowNote, selected, onSelect, head, tracks, total, height } =
    props;
  const { hasMore = false, isLoading = false, onMore } = props;
  const rowHeight = ROW[usePreferences().density];
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);

  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => {
      const row = rows[index];
      return row !== undefined && (rowNote?.(row) ?? null) !== null ? rowHeight + NOTE : rowHeight;
    },
    getItemKey: (index) => {
      const row = rows[index];
      return row === undefined ? index : rowKey(row);
    },
    overscan: OVERSCAN,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: heights follow the rows and the density
  useEffect(() => virtualizer.measure(), [rows, rowHeight, rowNote]);

  const items = virtualizer.getVirtualItems();
  const lastShown = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && !isLoading && lastShown >= rows.length - AHEAD) onMore?.();
  }, [hasMore, isLoading, lastShown, rows.length, onMore]);

  const toggle = useCallback(
    (key: string) => {
      const next = new Set(selected);
      if (!next.delete(key)) next.add(key);
      onSelect?.(next);
    },
    [selected, onSelect],
  );
  const moveTo = (index: number) => {
    const bounded = Math.max(0, Math.min(rows.length - 1, index));
    setActive(bounded);
    virtualizer.scrollToIndex(bounded);
    requestAnimationFrame(() => {
      scroller.current?.querySelector<HTMLElement>(`[data-index="${bounded}"] [data-row-focus]`)?.focus();
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return;
    const row = rows[active];
    if (event.key === "j" || event.key === "ArrowDown") moveTo(active + 1);
    else if (event.key === "k" || event.key === "ArrowUp") moveTo(active - 1);
    else if (event.key === "x" && row !== undefined && onSelect !== undefined) toggle(rowKey(row));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const known = typeof total === "number" ? total : hasMore ? -1 : rows.length;
  return (
    <div
      ref={scroller}
      role="table"
      aria-label={label}
      aria-rowcount={known < 0 ? -1 : known + 1}
      aria-busy={isLoading}
      className={styles.table}
      style={{ ...tracks, height, maxHeight: height }}
      onKeyDown={onKeyDown}
    >
      {head}
      <div role="rowgroup" className={styles.rows} style={{ height: virtualizer.getTotalSize() }}>
        {items.map(({ index, start, size, key }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <TableRow
              key={key as string}
              row={row}
              index={index}
              start={start}
              size={size}
              columns={columns as readonly Column<unknown>[]}
              href={rowHref?.(row)}
              name={rowName?.(row) ?? rowKey(row)}
              note={rowNote?.(row) ?? null}
              id={rowKey(row)}
              isSelected={selected?.has(rowKey(row))}
              onToggle={onSelect === undefined ? undefined : toggle}
              isActive={index === active}
              onActive={setActive}
            />
          );
        })}
      </div>
    </div>
  );
}

interface TableRowProps {
  row: unknown;
  index: number;
  start: number;
  size: number;
  columns: readonly Column<unknown>[];
  href: string | undefined;
  name: string;
  note: ReactNode;
  id: string;
  isSelected: boolean | undefined;
  onToggle: ((key: string) => void) | undefined;
  isActive: boolean;
  onActive: (index: number) => void;
}

const TableRow = memo(function TableRow(props: TableRowProps) {
  const { row, index, start, size, columns, href, name, note, id, isSelected, onToggle, isActive, onActive } = props;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      data-selected={isSelected || undefined}
      data-index={index}
      data-linked={href !== undefined || undefined}
      className={styles.row}
      style={{ transform: `translateY(${start}px)`, height: size }}
      onFocus={() => onActive(index)}
    >
      {onToggle !== undefined && (
        <div role="cell" className={styles.check}>
          <input
            type="checkbox"
            tabIndex={isActive ? 0 : -1}
            aria-label={`Select ${name}`}
            checked={isSelected === true}
            onChange={() => onToggle(id)}
          />
        </div>
      )}
      {columns.map((column, position) => (
        <div key={column.id} role="cell" data-align={column.align} data-fold={column.fold} data-column={column.id}>
          {position === 0 && href !== undefined ? (
            <a href={href} className={styles.rowLink} data-row-focus tabIndex={isActive ? 0 : -1}>
              {column.cell(row)}
            </a>
          ) : (
            column.cell(row)
          )}
        </div>
      ))}
      {note !== null && (
        <div role="cell" className={styles.note}>
          {note}
        </div>
      )}
    </div>
  );
});

function isField(target: EventTarget): boolean {
  return target instanceof HTMLElement && target.matches("input:not([type=checkbox]), textarea, select");
}
