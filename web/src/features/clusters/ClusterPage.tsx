import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import { jobsQuery } from "@/api/jobs";
import { rowsOf } from "@/api/pages";
import { formatNumber } from "@/lib/format";
import { paths } from "@/lib/paths";
import { totalResources } from "@/lib/quantity";
import { useProject } from "@/shell/project";
import { announce } from "@/ui/announce";
import { Button, ButtonLink } from "@/ui/Button";
import { Copyable } from "@/ui/Copy";
import { EventList } from "@/ui/Events";
import { ExternalLink } from "@/ui/icons";
import { JobTable } from "@/ui/JobTable";
import { NodeTable } from "@/ui/NodeTable";
import { PageHeader } from "@/ui/PageHeader";
import { Fact, Facts, Panel } from "@/ui/Panel";
import { Bytes } from "@/ui/quantities";
import { Status } from "@/ui/Status";
import { Loadable } from "@/ui/states";
import { hasEnded, isWaiting } from "@/ui/status";
import { Duration, Time } from "@/ui/Time";
import styles from "./ClusterPage.module.css";
import { clusterRoute } from "./feature";
import { GroupTable } from "./GroupTable";
import { type Cluster, clusterEventsQuery, clusterQuery } from "./queries";
import { StopCluster } from "./StopCluster";
import { reasonOf } from "./wait";

const MEASURED_JOBS = 100;

/** One Ray cluster: where it stands and why, what it is made of, what runs on it, what happened to it. */
export function ClusterPage() {
  const project = useProject();
  const { cluster: id } = clusterRoute.useParams();
  const query = useQuery(clusterQuery(project, id));
  const cluster = query.data;
  useAnnouncedPhase(cluster);
  return (
    <>
      <PageHeader
        title={cluster?.name ?? id}
        above={[{ label: "Clusters", href: paths.clusters(project) }]}
        status={cluster && <Status phase={cluster.phase} badge />}
        meta={cluster && <Meta cluster={cluster} />}
        actions={cluster && <Actions project={project} cluster={cluster} />}
      />
      <Loadable query={query} what="load this cluster" height={420}>
        {(found) => (
          <div className={styles.page}>
            <Standing cluster={found} />
            <Panel title="Nodes asked for" flush aside={<Ready cluster={found} />}>
              <GroupTable resources={found.resources} />
            </Panel>
            {found.phase === "ready" && <Nodes project={project} cluster={found} />}
            <Jobs project={project} cluster={found} />
            <History project={project} cluster={found} />
          </div>
        )}
      </Loadable>
    </>
  );
}

function Actions({ project, cluster }: { project: string; cluster: Cluster }) {
  return (
    <>
      <StopCluster project={project} cluster={cluster} />
      {cluster.phase === "ready" && (
        <ButtonLink
          href={paths.rayDashboard(project, cluster.id)}
          target="_blank"
          rel="noopener"
          icon={<ExternalLink aria-hidden="true" />}
        >
          Ray dashboard
        </ButtonLink>
      )}
    </>
  );
}

function Meta({ cluster }: { cluster: Cluster }) {
  return (
    <>
      <Copyable text={cluster.id} what="cluster id" />
      <span>by {cluster.created_by}</span>
      <span>
        {cluster.phase} for <Duration since={cluster.phase_since} />
      </span>
    </>
  );
}

function Ready({ cluster: { nodes_ready = 0, nodes_wanted, phase } }: { cluster: Cluster }) {
  return hasEnded(phase) ? null : (
    <span className="numeric">
      {nodes_ready} of {nodes_wanted} ready
    </span>
  );
}

/** In words why it waits or ended, then the facts. */
function Standing({ cluster }: { cluster: Cluster }) {
  const { cpu, gpu, memory } = totalResources(cluster.resources);
  const reason = reasonOf(cluster);
  return (
    <Panel title={isWaiting(cluster.phase) ? "Why it waits" : "Where it stands"}>
      {reason !== "" && <p className={styles.reason}>{reason}</p>}
      <Facts>
        <Fact label="CPU cores">{formatNumber(cpu)}</Fact>
        <Fact label="GPUs">{formatNumber(gpu)}</Fact>
        <Fact label="Memory">
          <Bytes value={memory} />
        </Fact>
        <Fact label="Created">
          <Time at={cluster.created_at} />
        </Fact>
        <Fact label="Ready">
          <Time at={cluster.ready_at} />
        </Fact>
        <Fact label="Ended">
          <Time at={cluster.ended_at} />
        </Fact>
      </Facts>
    </Panel>
  );
}

/** The nodes of the jobs that run on it; a cluster without jobs is not measured. */
function Nodes({ project, cluster }: { project: string; cluster: Cluster }) {
  const query = useInfiniteQuery(jobsQuery(project, { cluster: cluster.id, phase: ["running"] }, MEASURED_JOBS));
  const jobs = useMemo(() => new Set(rowsOf(query.data).map(({ id }) => id)), [query.data]);
  return (
    <Panel title="Nodes at work" flush aside="as the jobs on it last measured them">
      <NodeTable jobs={jobs} none="No job is running on it." className={styles.quiet} />
    </Panel>
  );
}

function Jobs({ project, cluster }: { project: string; cluster: Cluster }) {
  const filter = useMemo(() => ({ cluster: cluster.id }), [cluster.id]);
  return (
    <Panel
      title="Jobs on it"
      flush
      aside={<a href={paths.jobs(project, { cluster: cluster.id })}>All in the list of jobs</a>}
    >
      <JobTable
        project={project}
        label="Jobs on this cluster"
        filter={filter}
        none="No job has been sent to it."
        className={styles.quiet}
      />
    </Panel>
  );
}

function History({ project, cluster }: { project: string; cluster: Cluster }) {
  const query = useInfiniteQuery(clusterEventsQuery(project, cluster.id));
  const events = useMemo(() => rowsOf(query.data), [query.data]);
  return (
    <Panel title="Events" flush>
      <Loadable query={query} what="load its events" height={120}>
        {() => (
          <>
            <EventList events={events} />
            {query.hasNextPage && (
              <div className={styles.more}>
                <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                  Later events
                </Button>
              </div>
            )}
          </>
        )}
      </Loadable>
    </Panel>
  );
}

/** A change of phase is read out; the phase at the first look is not. */
function useAnnouncedPhase(cluster: Cluster | undefined): void {
  const before = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (cluster === undefined) return;
    if (before.current !== undefined && before.current !== cluster.phase) {
      announce(`Cluster ${cluster.name} is ${cluster.phase}`);
    }
    before.current = cluster.phase;
  }, [cluster]);
}
