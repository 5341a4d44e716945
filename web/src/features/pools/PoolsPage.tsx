import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useMe } from "@/api/me";
import { rowsOf } from "@/api/pages";
import { StackedBars } from "@/charts/StackedBars";
import { formatNumber, plural } from "@/lib/format";
import { NodeTable } from "@/ui/NodeTable";
import { PageHeader } from "@/ui/PageHeader";
import { Panel } from "@/ui/Panel";
import { Empty, Loadable } from "@/ui/states";
import { Time } from "@/ui/Time";
import styles from "./PoolsPage.module.css";
import { PoolTable } from "./PoolTable";
import { ProjectUse } from "./ProjectUse";
import { type PoolUsage, poolsQuery, usageQuery } from "./queries";
import { barsOf, MEASURES, partsOf } from "./use";

const NONE: readonly PoolUsage[] = [];

/** The kinds of machine that the platform offers, who holds how much of each, and what waits. */
export function PoolsPage() {
  const query = useInfiniteQuery(poolsQuery());
  const usage = useQuery(usageQuery());
  const isAdmin = useMe()?.is_admin === true;
  const pools = useMemo(() => rowsOf(query.data), [query.data]);
  return (
    <>
      <PageHeader title="Pools" meta="The kinds of machine that jobs and clusters can ask for." />
      <Loadable query={query} what="load the pools" height={420}>
        {() =>
          pools.length === 0 ? (
            <Empty
              title="No pools yet"
              {...(isAdmin ? { command: "mlp pool create cpu --cpu 16 --memory 64Gi --machines 4" } : {})}
            >
              Without one no job can run. An administrator makes them.
            </Empty>
          ) : (
            <div className={styles.page}>
              <Panel title="Held now" aside={usage.data && <Time at={usage.data.at} />}>
                <Loadable query={usage} what="load what is in use" height={180}>
                  {(found) => <Charts pools={found.pools} />}
                </Loadable>
              </Panel>
              <Panel title="Machines" flush aside={plural(pools.length, "pool")}>
                <PoolTable pools={pools} usage={usage.data?.pools ?? NONE} />
              </Panel>
              {usage.data !== undefined && usage.data.projects.length > 0 && (
                <Panel title="By project" flush aside="what is held, of the project's own limit where it has one">
                  <ProjectUse projects={usage.data.projects} />
                </Panel>
              )}
              <Panel title="Nodes at work" flush aside="as they last measured themselves">
                <NodeTable none="No node of a job that you may see is at work." className={styles.quiet} />
              </Panel>
              <Guarantees />
            </div>
          )
        }
      </Loadable>
    </>
  );
}

function Charts({ pools }: { pools: readonly PoolUsage[] }) {
  const parts = useMemo(() => partsOf(pools), [pools]);
  return (
    <div className={styles.charts}>
      {MEASURES.map(({ id, title, unit }) => {
        const bars = barsOf(pools, parts, id);
        return bars.length === 0 ? null : <StackedBars key={id} title={title} unit={unit} bars={bars} parts={parts} />;
      })}
    </div>
  );
}

/** What of the pools belongs to the person's own projects first. */
function Guarantees() {
  const projects = useMe()?.projects ?? [];
  const rows = projects.flatMap(({ name, guarantees = {} }) =>
    Object.entries(guarantees).map(([pool, machines]) => ({ project: name, pool, machines })),
  );
  if (rows.length === 0) return null;
  return (
    <Panel title="Guaranteed to your projects" aside="lent out while it is not used">
      <ul className={styles.guarantees}>
        {rows.map(({ project, pool, machines }) => (
          <li key={`${project} ${pool}`}>
            {project}: {formatNumber(machines)} of <code>{pool}</code>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
