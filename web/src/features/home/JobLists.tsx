import type { components } from "@openapi";
import { paths } from "@/lib/paths";
import { Status } from "@/ui/Status";
import { inWords, reasonInWords } from "@/ui/status";
import { Duration, Time } from "@/ui/Time";
import styles from "./HomePage.module.css";

type Job = components["schemas"]["JobRead"];

interface ListProps {
  project: string;
  jobs: readonly Job[];
}

export function RunningJobs({ project, jobs }: ListProps) {
  if (jobs.length === 0) return <p className={styles.quiet}>Nothing is running.</p>;
  return (
    <ul className={styles.list}>
      {jobs.map((job) => (
        <li key={job.id}>
          <Status phase={job.phase} />
          <JobLink project={project} job={job} />
          <span className={styles.more}>
            {job.created_by} · <Duration since={job.started_at ?? job.phase_since} />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** The reason stands in full: it is what one came for. */
export function WaitingJobs({ project, jobs }: ListProps) {
  if (jobs.length === 0) return <p className={styles.quiet}>Nothing is waiting.</p>;
  return (
    <ul className={styles.list}>
      {jobs.map((job) => (
        <li key={job.id}>
          <Status phase={job.phase} />
          <JobLink project={project} job={job} />
          <span className={styles.more}>
            for <Duration since={job.phase_since} />
          </span>
          <p className={styles.note}>{job.message || reasonInWords(job.reason)}</p>
        </li>
      ))}
    </ul>
  );
}

export function FailedJobs({ project, jobs }: ListProps) {
  if (jobs.length === 0) return <p className={styles.quiet}>Nothing failed.</p>;
  return (
    <ul className={styles.list}>
      {jobs.map((job) => (
        <li key={job.id}>
          <Status phase={job.phase}>{job.failure ? inWords(job.failure.class) : undefined}</Status>
          <JobLink project={project} job={job} />
          <span className={styles.more}>
            <Time at={job.ended_at ?? job.phase_since} />
          </span>
          <p className={styles.note}>{job.failure?.message ?? job.message}</p>
        </li>
      ))}
    </ul>
  );
}

function JobLink({ project, job }: { project: string; job: Job }) {
  return (
    <a href={paths.job(project, job.id)} className={styles.name} title={job.name}>
      {job.name}
    </a>
  );
}
