import { useMemo } from "react";
import { formatNumber } from "@/lib/format";
import { paths } from "@/lib/paths";
import { type Column, DataTable } from "@/ui/DataTable";
import type { Cluster } from "./queries";
import { groupsOf, memoryOf, type NodeGroup, replicasOf } from "./shape";

const COLUMNS: Column<NodeGroup>[] = [
  { id: "name", header: "Group", width: "minmax(80px, 1.2fr)", cell: ({ name }) => name },
  {
    id: "pool",
    header: "Pool",
    width: "minmax(70px, 1fr)",
    cell: ({ pool }) => (pool === null ? "default" : <a href={paths.pools()}>{pool}</a>),
  },
  { id: "nodes", header: "Nodes", width: "60px", align: "end", cell: replicasOf },
  { id: "cpu", header: "CPU each", width: "72px", align: "end", cell: ({ cpu }) => formatNumber(cpu) },
  { id: "gpu", header: "GPU each", width: "72px", align: "end", cell: ({ gpu }) => formatNumber(gpu) },
  {
    id: "memory",
    header: "Memory each",
    width: "100px",
    align: "end",
    fold: "narrow",
    cell: ({ memory }) => memoryOf(memory),
  },
  {
    id: "labels",
    header: "Labels",
    width: "minmax(100px, 1.4fr)",
    fold: "medium",
    cell: ({ labels }) =>
      labels.length === 0 ? "–" : <code>{labels.map(([key, value]) => `${key}=${value}`).join(" ")}</code>,
  },
];
const keyOf = (group: NodeGroup) => group.name;

/** The head and the worker groups as they were asked for. */
export function GroupTable({ resources }: { resources: Cluster["resources"] }) {
  const rows = useMemo(() => groupsOf(resources), [resources]);
  return <DataTable label="Node groups" rows={rows} columns={COLUMNS} rowKey={keyOf} />;
}
