import { useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { useMay } from "@/api/me";
import { rowsOf } from "@/api/pages";
import { useReadAgain } from "@/api/read-again";
import { paths } from "@/lib/paths";
import { useProject } from "@/shell/project";
import { type Column, DataTable } from "@/ui/DataTable";
import { FilterBar, FilterChips, FilterText } from "@/ui/Filters";
import { PageHeader } from "@/ui/PageHeader";
import { Status } from "@/ui/Status";
import { Empty, Loadable, NothingMatches } from "@/ui/states";
import { isWaiting } from "@/ui/status";
import { Time } from "@/ui/Time";
import { CLUSTER_PHASES, clustersRoute } from "./feature";
import { CLUSTERS, type Cluster, clustersQuery } from "./queries";
import { summaryOf } from "./shape";
import { reasonOf } from "./wait";

const HEIGHT = "calc(100dvh - 190px)";
const PHASES = CLUSTER_PHASES.map((phase) => [phase, phase] as const);
const COLUMNS: Column<Cluster>[] = [
  { id: "name", header: "Cluster", width: "minmax(120px, 1.2fr)", cell: ({ name }) => name },
  { id: "phase", header: "Phase", width: "130px", cell: ({ phase }) => <Status phase={phase} /> },
  {
    id: "nodes",
    header: "Nodes",
    width: "76px",
    align: "end",
    cell: ({ nodes_ready = 0, nodes_wanted }) => (
      <span title={`${nodes_ready} of ${nodes_wanted} nodes are ready`}>
        {nodes_ready}/{nodes_wanted}
      </span>
    ),
  },
  {
    id: "shape",
    header: "Worker groups",
    width: "minmax(160px, 2.2fr)",
    fold: "medium",
    cell: ({ resources }) => <span title={summaryOf(resources)}>{summaryOf(resources)}</span>,
  },
  { id: "jobs", header: "Live jobs", width: "76px", align: "end", cell: ({ running_jobs = 0 }) => running_jobs },
  { id: "who", header: "By", width: "minmax(80px, 0.8fr)", fold: "medium", cell: ({ created_by }) => created_by },
  {
    id: "created",
    header: "Created",
    width: "120px",
    fold: "narrow",
    cell: ({ created_at }) => <Time at={created_at} />,
  },
];
const keyOf = (cluster: Cluster) => cluster.id;
const noteOf = (cluster: Cluster) =>
  isWaiting(cluster.phase) || cluster.phase === "failed" ? (
    <span title={reasonOf(cluster)}>{reasonOf(cluster)}</span>
  ) : null;

/** The named clusters of a project, ended ones included. */
export function ClustersPage() {
  const project = useProject();
  const { phase, q } = clustersRoute.useSearch();
  const navigate = clustersRoute.useNavigate();
  const query = useInfiniteQuery(clustersQuery(project, { phase, name: q }));
  useReadAgain(CLUSTERS, "cluster");
  const rows = useMemo(() => rowsOf(query.data), [query.data]);
  const hrefOf = useCallback((cluster: Cluster) => paths.cluster(project, cluster.id), [project]);
  const setName = useCallback(
    (name: string) => void navigate({ search: (now) => ({ ...now, q: name || undefined }), replace: true }),
    [navigate],
  );
  const isFiltered = phase !== undefined || q !== undefined;
  return (
    <>
      <PageHeader
        title="Clusters"
        meta="Ray clusters with a name: they stay until they are stopped, and jobs share them."
      />
      <FilterBar>
        <FilterText label="Find by name" value={q ?? ""} onChange={setName} />
        <FilterChips
          label="Phase"
          options={PHASES}
          chosen={phase ?? []}
          onChange={(chosen) =>
            void navigate({ search: (now) => ({ ...now, phase: chosen.length > 0 ? chosen : undefined }) })
          }
        />
      </FilterBar>
      <Loadable query={query} what="load the clusters" height={320}>
        {() =>
          rows.length > 0 ? (
            <DataTable
              label="Clusters"
              rows={rows}
              columns={COLUMNS}
              rowKey={keyOf}
              rowHref={hrefOf}
              rowNote={noteOf}
              hasMore={query.hasNextPage}
              isLoading={query.isFetching}
              onMore={query.fetchNextPage}
              height={HEIGHT}
            />
          ) : isFiltered ? (
            <NothingMatches what="clusters" onClear={() => void navigate({ search: {} })} />
          ) : (
            <NoClusters project={project} />
          )
        }
      </Loadable>
    </>
  );
}

function NoClusters({ project }: { project: string }) {
  const mayCreate = useMay(project, "editor");
  return (
    <Empty
      title="No clusters yet"
      {...(mayCreate ? { command: "mlp cluster create shared --workers 2 --cpus 2 --memory 4Gi" } : {})}
    >
      {mayCreate
        ? "Jobs bring their own cluster and need none of these. One that stays starts the next job sooner."
        : "An editor of the project can make one."}
    </Empty>
  );
}
