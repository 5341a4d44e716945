import type { ReactNode } from "react";
import styles from "./DataTable.module.css";
import { ArrowDown, ArrowUp } from "./icons";
import { Skeleton } from "./states";
import { TableRows } from "./TableRows";

export interface Column<Row> {
  id: string;
  header: string;
  /** A track of a CSS grid: `120px`, `minmax(160px, 2fr)`. */
  width: string;
  /** Numbers stand at the end. */
  align?: "end";
  /** The server's name of this order, where it has one. */
  orderBy?: string;
  /** Left out below 1280 px (`medium`) or below 900 px (`narrow`). */
  fold?: "medium" | "narrow";
  cell: (row: Row) => ReactNode;
}

export interface DataTableProps<Row> {
  /** Names the table: "Jobs". */
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
  /** Where Enter and a click on the row lead: the first column's content becomes that link. */
  rowHref?: (row: Row) => string;
  /** How a row is called where it has no other words, such as for its checkbox. */
  rowName?: (row: Row) => string;
  /** A full-width second line of a row, such as why it waits. The same for the same row, as its height follows. */
  rowNote?: (row: Row) => ReactNode | null;
  /** `-created_at`: the server's order, with `-` descending. */
  order?: string;
  onOrder?: (order: string) => void;
  selected?: ReadonlySet<string>;
  onSelect?: (selected: ReadonlySet<string>) => void;
  hasMore?: boolean;
  isLoading?: boolean;
  onMore?: () => void;
  /** All that match on the server, where known. */
  total?: number | null;
  /** Of the scrolling area; a number is pixels. Leave it out for a short list that the page itself scrolls. */
  height?: number | string;
}

/**
 * A table for any number of rows: it draws only those in view. It stands in its own scrolling area, with the head on top. Keys:
 * `j`/`k` or arrows move, `x` selects, Enter opens.
 *
 * Scrolling renders only `TableRows`. Keep `rows`, `columns` and the functions the same between renders (module level, `useMemo`,
 * `useCallback`), or every row is rendered again.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { columns, order, onOrder, rows, isLoading = false } = props;
  const selectable = props.onSelect !== undefined;
  const tracks = gridTracks(columns, selectable);
  const head = (
    <div role="rowgroup" className={styles.head}>
      <div role="row" aria-rowindex={1} className={styles.headRow}>
        {selectable && <SelectAll {...props} />}
        {columns.map((column) => (
          <HeadCell key={column.id} column={column} order={order} onOrder={onOrder} />
        ))}
      </div>
    </div>
  );
  if (rows.length === 0 && isLoading) {
    return <Skeleton height={props.height ?? 320} label={`Loading: ${props.label}`} />;
  }
  return <TableRows {...props} head={head} tracks={tracks} />;
}

function HeadCell<Row>({
  column,
  order,
  onOrder,
}: {
  column: Column<Row>;
  order?: string | undefined;
  onOrder?: ((order: string) => void) | undefined;
}) {
  const { id, header, align, fold, orderBy } = column;
  const direction = orderBy === undefined ? null : directionOf(order, orderBy);
  const sorted = direction === null ? undefined : direction === "up" ? "ascending" : "descending";
  return (
    <div role="columnheader" data-align={align} data-fold={fold} data-column={id} aria-sort={sorted}>
      {orderBy === undefined || onOrder === undefined ? (
        header
      ) : (
        <button type="button" onClick={() => onOrder(nextOrder(order, orderBy))}>
          {header}
          {direction === "up" && <ArrowUp aria-hidden="true" />}
          {direction === "down" && <ArrowDown aria-hidden="true" />}
        </button>
      )}
    </div>
  );
}

function SelectAll<Row>({ rows, rowKey, selected, onSelect }: DataTableProps<Row>) {
  const all = rows.length > 0 && rows.every((row) => selected?.has(rowKey(row)));
  return (
    <div role="columnheader" className={styles.check}>
      <input
        type="checkbox"
        aria-label="Select all shown rows"
        checked={all}
        ref={(box) => {
          if (box !== null) box.indeterminate = !all && (selected?.size ?? 0) > 0;
        }}
        onChange={() => onSelect?.(all ? new Set() : new Set(rows.map(rowKey)))}
      />
    </div>
  );
}

/** One set of tracks per width; which columns fold is decided by CSS alone, so that nothing renders on resize. */
function gridTracks<Row>(columns: readonly Column<Row>[], selectable: boolean): Record<`--tracks-${string}`, string> {
  const tracks = (folded: readonly (string | undefined)[]) =>
    [
      ...(selectable ? ["34px"] : []),
      ...columns.filter(({ fold }) => !folded.includes(fold)).map(({ width }) => width),
    ].join(" ");
  return {
    "--tracks-wide": tracks(["never"]),
    "--tracks-medium": tracks(["medium"]),
    "--tracks-narrow": tracks(["medium", "narrow"]),
  };
}

function directionOf(order: string | undefined, orderBy: string): "up" | "down" | null {
  if (order === orderBy) return "up";
  return order === `-${orderBy}` ? "down" : null;
}

/** First the largest or newest, then the other way. */
export function nextOrder(order: string | undefined, orderBy: string): string {
  return order === `-${orderBy}` ? orderBy : `-${orderBy}`;
}
