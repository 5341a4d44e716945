import { useQueries } from "@tanstack/react-query";
import { useCallback } from "react";
import { toApiError } from "@/api/errors";
import { jobQuery } from "@/api/queries";
import type { Job } from "@/api/stream";
import { plural } from "@/lib/format";
import { paths } from "@/lib/paths";
import { useProject } from "@/shell/project";
import { Button } from "@/ui/Button";
import { PageHeader } from "@/ui/PageHeader";
import { Empty, ErrorPanel, Skeleton } from "@/ui/states";
import styles from "./Compare.module.css";
import { Comparison } from "./Comparison";
import { compareRoute } from "./feature";
import { JobPicker } from "./JobPicker";
import { MOST_COMPARED } from "./model";

const NONE: string[] = [];

/** 2 to 20 jobs side by side, what differs first. */
export function ComparePage() {
  const project = useProject();
  const { jobs: ids = NONE } = compareRoute.useSearch();
  const navigate = compareRoute.useNavigate();
  const queries = useQueries({ queries: ids.map((id) => jobQuery(project, id)) });
  const setJobs = useCallback(
    (next: string[]) =>
      void navigate({ search: (old) => ({ ...old, jobs: next.length === 0 ? undefined : [...new Set(next)] }) }),
    [navigate],
  );
  const jobs = queries.flatMap(({ data }) => (data === undefined ? [] : [data]));
  const failed = queries.flatMap(({ error }, index) => (error === null ? [] : [{ id: ids[index] ?? "", error }]));
  const isLoading = queries.some(({ isPending, error }) => isPending && error === null);
  return (
    <>
      <PageHeader
        title="Compare"
        above={[{ label: "Jobs", href: paths.jobs(project) }]}
        meta={ids.length === 0 ? undefined : plural(ids.length, "job")}
        actions={
          ids.length < MOST_COMPARED && (
            <JobPicker project={project} taken={ids} onPick={(id) => setJobs([...ids, id])} />
          )
        }
      />
      {failed.length > 0 && jobs.length > 0 && (
        <ul className={styles.failed}>
          {failed.map(({ id, error }) => (
            <li key={id}>
              <code>{id}</code>: {toApiError(error).detail}{" "}
              <Button kind="quiet" onClick={() => setJobs(ids.filter((one) => one !== id))}>
                Leave it out
              </Button>
            </li>
          ))}
        </ul>
      )}
      <Body
        project={project}
        jobs={jobs}
        count={ids.length}
        isLoading={isLoading}
        error={jobs.length === 0 ? failed[0]?.error : undefined}
        onRetry={() => queries.forEach((query) => void query.refetch())}
        onJobs={setJobs}
      />
    </>
  );
}

interface BodyProps {
  project: string;
  jobs: Job[];
  count: number;
  isLoading: boolean;
  error: unknown;
  onRetry: () => void;
  onJobs: (ids: string[]) => void;
}

function Body({ project, jobs, count, isLoading, error, onRetry, onJobs }: BodyProps) {
  if (isLoading) return <Skeleton height={420} label="Loading the jobs" />;
  if (error !== undefined) return <ErrorPanel what="load the jobs" error={error} onRetry={onRetry} />;
  if (count < 2) {
    return (
      <Empty title={count === 0 ? "Choose jobs to compare" : "Choose one more job"} command="mlp job diff JOB OTHER">
        Add them above, or select some in the <a href={paths.jobs(project)}>list of jobs</a> and press Compare.
      </Empty>
    );
  }
  return <Comparison key={project} project={project} jobs={jobs} onJobs={onJobs} />;
}
