import { useMemo } from "react";
import { formatNumber } from "@/lib/format";
import { type Column, DataTable } from "@/ui/DataTable";
import { Price } from "@/ui/quantities";
import styles from "./PoolsPage.module.css";
import type { Pool, PoolUsage } from "./queries";
import { fullness, machineOf, waitingInWords } from "./use";

interface Row {
  pool: Pool;
  usage: PoolUsage | undefined;
}

const COLUMNS: Column<Row>[] = [
  {
    id: "name",
    header: "Pool",
    width: "minmax(90px, 1.1fr)",
    cell: ({ pool: { name, is_default, description } }) => (
      <span title={description}>
        <code>{name}</code>
        {is_default && <span className={styles.mark}> default</span>}
      </span>
    ),
  },
  { id: "machine", header: "One machine", width: "minmax(140px, 1.6fr)", cell: ({ pool }) => machineOf(pool) },
  {
    id: "accelerator",
    header: "Accelerator",
    width: "minmax(100px, 1fr)",
    fold: "medium",
    cell: ({ pool: { accelerator } }) => accelerator ?? "–",
  },
  { id: "machines", header: "Machines", width: "74px", align: "end", cell: ({ pool: { machines } }) => machines },
  {
    id: "full",
    header: "In use",
    width: "62px",
    align: "end",
    cell: ({ usage }) => (usage === undefined ? "–" : `${formatNumber(Math.round(fullness(usage) * 100))} %`),
  },
  {
    id: "kind",
    header: "Kind",
    width: "86px",
    fold: "narrow",
    cell: ({ pool: { spot } }) => (spot ? "spot" : "on demand"),
  },
  {
    id: "price",
    header: "Price of one",
    width: "90px",
    align: "end",
    fold: "narrow",
    cell: ({ pool: { price_per_hour } }) => (price_per_hour > 0 ? <Price perHour={price_per_hour} /> : "–"),
  },
  {
    id: "labels",
    header: "Labels",
    width: "minmax(80px, 1fr)",
    fold: "medium",
    cell: ({ pool: { labels } }) => <Labels labels={labels} />,
  },
];
const keyOf = ({ pool }: Row) => pool.id;
const noteOf = ({ usage }: Row) => {
  const waiting = usage === undefined ? "" : waitingInWords(usage.waiting);
  return waiting === "" ? null : <span title={waiting}>Waiting for it: {waiting}</span>;
};

/** The kinds of machine, with what waits for each. */
export function PoolTable({ pools, usage }: { pools: readonly Pool[]; usage: readonly PoolUsage[] }) {
  const rows = useMemo(
    () => pools.map((pool) => ({ pool, usage: usage.find((one) => one.pool === pool.name) })),
    [pools, usage],
  );
  return <DataTable label="Pools" rows={rows} columns={COLUMNS} rowKey={keyOf} rowNote={noteOf} />;
}

function Labels({ labels }: { labels: Pool["labels"] }) {
  const text = Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(" ");
  return text === "" ? "–" : <code title={text}>{text}</code>;
}
