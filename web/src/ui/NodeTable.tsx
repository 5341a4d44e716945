import type { paths as Api } from "@openapi";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { $api } from "@/api/client";
import { pollEvery } from "@/api/queries";
import { formatBytes, formatCount, formatNumber } from "@/lib/format";
import { paths } from "@/lib/paths";
import { type Column, DataTable } from "./DataTable";
import styles from "./NodeTable.module.css";
import { Loadable } from "./states";
import { Time } from "./Time";

type Nodes = Api["/api/v1/nodes"]["get"]["responses"][200]["content"]["application/json"];
export type NodeUse = Nodes["nodes"][number];

/** Ray nodes of live jobs that the person may see, as their last samples have them. */
const nodesQuery = () => $api.queryOptions("get", "/api/v1/nodes", {}, { refetchInterval: () => pollEvery(true) });

const TALLEST = 400;
const SHORT = 10;
const COLUMNS: Column<NodeUse>[] = [
  { id: "node", header: "Node", width: "minmax(110px, 1.4fr)", cell: ({ node }) => <code title={node}>{node}</code> },
  {
    id: "job",
    header: "Job",
    width: "minmax(100px, 1.4fr)",
    cell: ({ project, job }) => (
      <a href={paths.job(project, job.id)} title={`${project}: ${job.name}`}>
        {job.name}
      </a>
    ),
  },
  { id: "project", header: "Project", width: "minmax(80px, 1fr)", fold: "medium", cell: ({ project }) => project },
  {
    id: "cpu",
    header: "CPU cores",
    width: "80px",
    align: "end",
    cell: ({ cpu_cores }) => known(cpu_cores, (value) => formatNumber(value, 3)),
  },
  {
    id: "memory",
    header: "Memory",
    width: "minmax(130px, 1.3fr)",
    align: "end",
    cell: ({ memory_bytes, memory_limit_bytes }) => <Memory used={memory_bytes} limit={memory_limit_bytes} />,
  },
  {
    id: "gpu",
    header: "GPU (%)",
    width: "72px",
    align: "end",
    fold: "narrow",
    cell: ({ gpu_utilisation }) => known(gpu_utilisation, (value) => formatNumber(value, 3)),
  },
  { id: "at", header: "Measured", width: "110px", fold: "narrow", cell: ({ at }) => <Time at={at} /> },
];
const keyOf = ({ node, job, attempt }: NodeUse) => `${job.id} ${attempt} ${node}`;

interface NodeTableProps {
  /** Only the nodes of these jobs; the same set between renders. */
  jobs?: ReadonlySet<string>;
  /** The sentence for none. */
  none: string;
  className?: string | undefined;
}

/** What each Ray node at work uses of what it may. */
export function NodeTable({ jobs, none, className }: NodeTableProps) {
  const query = useQuery(nodesQuery());
  const rows = useMemo(
    () => (query.data?.nodes ?? []).filter(({ job }) => jobs === undefined || jobs.has(job.id)),
    [query.data, jobs],
  );
  return (
    <Loadable query={query} what="load the nodes" height={110}>
      {({ nodes, truncated }) =>
        rows.length === 0 ? (
          <p className={className}>{none}</p>
        ) : (
          <>
            <DataTable
              label="Nodes at work"
              rows={rows}
              columns={COLUMNS}
              rowKey={keyOf}
              {...(rows.length > SHORT ? { height: TALLEST } : {})}
            />
            {truncated && <p className={className}>Only the first {formatCount(nodes.length)} nodes are shown.</p>}
          </>
        )
      }
    </Loadable>
  );
}

function Memory({ used, limit }: { used: number | null | undefined; limit: number | null | undefined }) {
  if (used === null || used === undefined) return <>–</>;
  if (limit === null || limit === undefined || limit === 0) return <>{formatBytes(used)}</>;
  const share = Math.min(1, used / limit);
  return (
    <span className={styles.memory} data-full={share > 0.9 || undefined}>
      <span className={styles.track} aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </span>
      <span>
        {formatBytes(used)} of {formatBytes(limit)}
      </span>
    </span>
  );
}

function known(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? "–" : format(value);
}
