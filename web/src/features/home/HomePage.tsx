import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { findProject, useMay, useMe } from "@/api/me";
import { paths } from "@/lib/paths";
import { useProject } from "@/shell/project";
import { ButtonLink } from "@/ui/Button";
import { Plus } from "@/ui/icons";
import { PageHeader } from "@/ui/PageHeader";
import { Panel } from "@/ui/Panel";
import { Loadable } from "@/ui/states";
import { Changes } from "./Changes";
import { FirstSteps } from "./FirstSteps";
import styles from "./HomePage.module.css";
import { FailedJobs, type Jobs, RunningJobs, WaitingJobs } from "./JobLists";
import { visit } from "./last-visit";
import { anyJobQuery, failedQuery, runningQuery, waitingQuery } from "./queries";

/** What runs, what waits and why, what failed, and what is new since the last visit. */
export function HomePage() {
  const project = useProject();
  const me = useMe();
  const any = useQuery(anyJobQuery(project));
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
      {any.data?.items.length === 0 ? (
        <FirstSteps project={project} mayCreate={mayCreate} />
      ) : (
        <Overview key={project} project={project} username={me?.username} />
      )}
    </>
  );
}

function Overview({ project, username }: { project: string; username: string | undefined }) {
  const running = useQuery(runningQuery(project));
  const waiting = useQuery(waitingQuery(project));
  const failed = useQuery(failedQuery(project));
  return (
    <div className={styles.grid}>
      <div className={styles.main}>
        <JobPanel title="Running" query={running} all={paths.jobs(project, { phase: ["running", "sealing"] })}>
          {(jobs) => <RunningJobs project={project} jobs={jobs} />}
        </JobPanel>
        <JobPanel
          title="Waiting"
          query={waiting}
          all={paths.jobs(project, { phase: ["queued", "admitted", "provisioning"] })}
        >
          {(jobs) => <WaitingJobs project={project} jobs={jobs} />}
        </JobPanel>
        <JobPanel title="Failed in the last 24 hours" query={failed} all={paths.jobs(project, { phase: ["failed"] })}>
          {(jobs) => <FailedJobs project={project} jobs={jobs} />}
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

interface JobPanelProps {
  title: string;
  query: { data: Jobs | undefined; error: unknown; isFetching: boolean; refetch: () => unknown };
  /** The list of all of them. */
  all: string;
  children: (jobs: Jobs["items"]) => ReactNode;
}

function JobPanel({ title, query, all, children }: JobPanelProps) {
  return (
    <Panel title={title} flush aside={<a href={all}>All</a>}>
      <Loadable query={query} what={`load what is ${title.toLowerCase()}`} height={84}>
        {(page) => children(page.items)}
      </Loadable>
    </Panel>
  );
}
