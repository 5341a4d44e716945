import type { components } from "@openapi";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { findProject, useMay, useMe } from "@/api/me";
import { formatCount } from "@/lib/format";
import { paths } from "@/lib/paths";
import { useProject } from "@/shell/project";
import { ButtonLink } from "@/ui/Button";
import { Plus } from "@/ui/icons";
import { PageHeader } from "@/ui/PageHeader";
import { Panel } from "@/ui/Panel";
import { Loadable } from "@/ui/states";
import { JOB_PHASES } from "@/ui/status";
import { Changes } from "./Changes";
import { FirstSteps } from "./FirstSteps";
import styles from "./HomePage.module.css";
import { FailedJobs, RunningJobs, WaitingJobs } from "./JobLists";
import { visit } from "./last-visit";
import { homeQuery } from "./queries";

type Home = components["schemas"]["ProjectHome"];
type Phase = components["schemas"]["JobPhase"];

const WAITING: Phase[] = ["queued"];
const RUNNING: Phase[] = ["admitted", "provisioning", "running", "sealing"];

/** What runs, what waits and why, what failed, and what is new since the last visit. */
export function HomePage() {
  const project = useProject();
  const me = useMe();
  const query = useQuery(homeQuery(project));
  const mayCreate = useMay(project, "editor");
  return (
    <>
      <PageHeader
        title={project}
        meta={findProject(me, project)?.description || undefined}
        actions={
          mayCreate && (
            <ButtonLink kind="primary" href={paths.newJob(project)} icon={<Plus aria-hidden="true" />}>
              New job
            </ButtonLink>
          )
        }
      />
      <Loadable query={query} what="load the project" height={420}>
        {(home) =>
          countOf(home, JOB_PHASES) === 0 ? (
            <FirstSteps project={project} mayCreate={mayCreate} />
          ) : (
            <Overview key={project} project={project} home={home} username={me?.username} />
          )
        }
      </Loadable>
    </>
  );
}

function Overview({ project, home, username }: { project: string; home: Home; username: string | undefined }) {
  return (
    <div className={styles.grid}>
      <div className={styles.main}>
        <JobPanel title="Running" count={countOf(home, RUNNING)} all={paths.jobs(project, { phase: RUNNING })}>
          <RunningJobs project={project} jobs={home.running} />
        </JobPanel>
        <JobPanel title="Waiting" count={countOf(home, WAITING)} all={paths.jobs(project, { phase: WAITING })}>
          <WaitingJobs project={project} jobs={home.waiting} />
        </JobPanel>
        <JobPanel
          title="Failed in the last 24 hours"
          count={home.ended.failed ?? 0}
          all={paths.jobs(project, { phase: ["failed"] })}
        >
          <FailedJobs project={project} jobs={home.failed} />
        </JobPanel>
      </div>
      {username === undefined ? <div /> : <SinceLastVisit project={project} username={username} />}
    </div>
  );
}

function SinceLastVisit({ project, username }: { project: string; username: string }) {
  const [since] = useState(() => visit(username, project).toISOString());
  return <Changes project={project} since={since} />;
}

/** `all`: the list of all of them; the panel has only the first ones. */
function JobPanel({ title, count, all, children }: { title: string; count: number; all: string; children: ReactNode }) {
  return (
    <Panel title={title} flush aside={<a href={all}>All {formatCount(count)}</a>}>
      {children}
    </Panel>
  );
}

function countOf({ counts }: Home, phases: readonly Phase[]): number {
  return phases.reduce((sum, phase) => sum + (counts.phases[phase] ?? 0), 0);
}
