import { useQueries } from "@tanstack/react-query";
import { toApiError } from "@/api/errors";
import type { Job } from "@/api/stream";
import { paths } from "@/lib/paths";
import { ChoiceField } from "@/ui/Field";
import { hasEnded } from "@/ui/status";
import styles from "./Compare.module.css";
import { CompareTable } from "./CompareTable";
import { compareRoute } from "./feature";
import { MetricChart } from "./MetricChart";
import { type Choice, metricRows } from "./metrics";
import {
  codeOf,
  environmentOf,
  loggedOf,
  outcomeOf,
  PACKAGE,
  parametersOf,
  type Row,
  resourcesOf,
  rowsFrom,
  type Section,
} from "./model";
import { environmentQuery, filesQuery, metricsQuery, runQuery } from "./queries";

interface ComparisonProps {
  project: string;
  jobs: readonly Job[];
  onJobs: (ids: string[]) => void;
}

export function Comparison({ project, jobs, onJobs }: ComparisonProps) {
  const { all, value = "last", metric } = compareRoute.useSearch();
  const navigate = compareRoute.useNavigate();
  const set = (part: { all?: true | undefined; value?: Choice | undefined; metric?: string | undefined }) =>
    void navigate({ search: (old) => ({ ...old, ...part }), replace: true });
  const { metrics, runs, files, environments } = useParts(project, jobs);
  const sections: Section[] = [
    { title: "Outcome", rows: rowsFrom(jobs.map(outcomeOf)) },
    { title: "Metrics", rows: metricRows(metrics.data, value) },
    { title: "Logged parameters", rows: rowsFrom(runs.data.map((run) => loggedOf(run?.parameters))) },
    { title: "Job", rows: rowsFrom(jobs.map(parametersOf)) },
    { title: "Resources", rows: rowsFrom(jobs.map(resourcesOf)) },
    { title: "Environment", rows: rowsFrom(jobs.map((job, index) => environmentOf(job, environments.data[index]))) },
    {
      title: "Code",
      rows: rowsFrom(jobs.map((job, index) => codeOf(job, files.data[index]))),
      linkOf: (row, place) => fileLink(project, jobs, row, place),
    },
  ];
  const notes = [metrics, runs, files, environments].flatMap(({ missing }) => missing);
  return (
    <div className={styles.page}>
      <div className={styles.tools}>
        <ChoiceField
          label="Show"
          value={all === true ? "all" : "differences"}
          options={[
            ["differences", "Differences"],
            ["all", "Everything"],
          ]}
          onChange={(shown) => set({ all: shown === "all" ? true : undefined })}
        />
        <ChoiceField
          label="Of each metric"
          value={value}
          options={[
            ["last", "Last"],
            ["best", "Best"],
            ["min", "Lowest"],
            ["max", "Highest"],
          ]}
          onChange={(chosen) => set({ value: chosen === "last" ? undefined : chosen })}
        />
      </div>
      {notes.map((note) => (
        <p key={note} className={styles.note} role="status">
          {note}
        </p>
      ))}
      <CompareTable project={project} jobs={jobs} sections={sections} all={all === true} onJobs={onJobs} />
      <MetricChart
        jobs={jobs.map(({ id, name }, index) => ({ id, name, series: metrics.data[index] }))}
        chosen={metric}
        onChoose={(key) => set({ metric: key })}
      />
    </div>
  );
}

/** The page of a job shows a file against another job's. */
function fileLink(project: string, jobs: readonly Job[], row: Row, place: number): string | undefined {
  const [measure, job] = [jobs[0], jobs[place]];
  if (row.name === PACKAGE || measure === undefined || job === undefined) return undefined;
  return paths.job(project, job.id, { tab: "code", with: measure.id, path: row.name });
}

/** Everything beside the jobs themselves. What cannot be read degrades its own part, and is said. */
function useParts(project: string, jobs: readonly Job[]) {
  const metrics = useQueries({
    queries: jobs.map(({ id, phase }) => metricsQuery(project, id, !hasEnded(phase))),
    combine: (found) => partOf("the metrics", found, ({ series }) => series),
  });
  const runs = useQueries({
    queries: jobs.map(({ id, phase, run }) => ({ ...runQuery(project, id, !hasEnded(phase)), enabled: run != null })),
    combine: (found) => partOf("the logged parameters", found, (run) => run),
  });
  const digests = [...new Set(jobs.flatMap(({ package: digest }) => digest ?? []))];
  const packages = useQueries({
    queries: digests.map((digest) => filesQuery(project, digest)),
    combine: (found) => partOf("the files", found, ({ files }) => files),
  });
  const files = {
    data: jobs.map(({ package: digest }) => (digest == null ? undefined : packages.data[digests.indexOf(digest)])),
    missing: packages.missing,
  };
  const environments = useQueries({
    queries: jobs.map((job) => ({ ...environmentQuery(project, job.id), enabled: job.environment_digest != null })),
    combine: (found) => partOf("the environment", found, (environment) => environment),
  });
  return { metrics, runs, files, environments };
}

interface Read<T> {
  data: T | undefined;
  error: unknown;
}

function partOf<T, R>(what: string, found: readonly Read<T>[], pick: (data: T) => R) {
  const failed = found.filter(({ error, data }) => error !== null && data === undefined);
  const why = failed.length === 0 ? "" : toApiError(failed[0]?.error).detail;
  return {
    data: found.map(({ data }) => (data === undefined ? undefined : pick(data))),
    missing: failed.length === 0 ? [] : [`Without ${what} of ${failed.length} of ${found.length} jobs: ${why}`],
  };
}
