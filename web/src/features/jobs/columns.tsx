import type { Job } from "@/api/stream";
import { formatBytes, formatNumber, shortDigest } from "@/lib/format";
import { totalResources } from "@/lib/quantity";
import type { Column } from "@/ui/DataTable";
import { Status } from "@/ui/Status";
import { hasEnded, inWords, isWaiting, reasonInWords } from "@/ui/status";
import { Duration, Time } from "@/ui/Time";
import styles from "./Jobs.module.css";
import { COLUMN_IDS, type ColumnId } from "./search";

const COLUMNS: Record<ColumnId, Omit<Column<Job>, "id">> = {
  name: { header: "Name", width: "minmax(150px, 2fr)", orderBy: "name", cell: ({ name }) => name },
  status: { header: "Status", width: "minmax(128px, 172px)", orderBy: "phase", cell: (job) => <JobStatus job={job} /> },
  owner: {
    header: "Owner",
    width: "minmax(80px, 140px)",
    fold: "narrow",
    orderBy: "created_by",
    cell: ({ created_by }) => created_by,
  },
  created: {
    header: "Created",
    width: "minmax(92px, 176px)",
    fold: "narrow", // a phone has room for the name and the status
    orderBy: "created_at",
    cell: ({ created_at }) => <Time at={created_at} />,
  },
  duration: {
    header: "Ran for",
    width: "96px",
    align: "end",
    fold: "narrow",
    cell: ({ duration_seconds, started_at, ended_at }) =>
      typeof duration_seconds === "number" ? (
        <Duration seconds={duration_seconds} />
      ) : (
        <Duration since={started_at} until={ended_at} />
      ),
  },
  resources: {
    header: "Resources",
    width: "minmax(150px, 210px)",
    align: "end",
    fold: "medium",
    cell: (job) => resourcesInWords(job),
  },
  attempt: {
    header: "Attempt",
    width: "70px",
    align: "end",
    fold: "medium",
    cell: ({ attempt }) => (attempt === 0 ? "–" : attempt),
  },
  kind: { header: "Kind", width: "80px", fold: "medium", orderBy: "kind", cell: ({ kind }) => kind },
  priority: { header: "Priority", width: "80px", fold: "medium", cell: ({ spec }) => spec.priority },
  exit: {
    header: "Exit",
    width: "88px",
    align: "end",
    fold: "medium",
    cell: ({ exit_code, signal }) => (signal == null ? (exit_code ?? "–") : `signal ${signal}`),
  },
  started: {
    header: "Started",
    width: "minmax(92px, 176px)",
    fold: "medium",
    orderBy: "started_at",
    cell: ({ started_at }) => <Time at={started_at} />,
  },
  ended: {
    header: "Ended",
    width: "minmax(92px, 176px)",
    fold: "medium",
    orderBy: "ended_at",
    cell: ({ ended_at }) => <Time at={ended_at} />,
  },
  cluster: { header: "Cluster", width: "130px", fold: "medium", cell: ({ spec }) => spec.cluster ?? "own" },
  package: {
    header: "Package",
    width: "110px",
    fold: "medium",
    cell: (job) => (job.package == null ? "–" : <code title={job.package}>{shortDigest(job.package)}</code>),
  },
  run: {
    header: "Run",
    width: "minmax(90px, 150px)",
    fold: "medium",
    cell: ({ run }) => (run == null ? "–" : run.url == null ? run.name : <a href={run.url}>{run.name}</a>),
  },
  model: {
    header: "Model",
    width: "minmax(90px, 150px)",
    fold: "medium",
    cell: ({ model }) => (model == null ? "–" : `${model.name} ${model.version}`),
  },
  id: { header: "Id", width: "minmax(120px, 260px)", fold: "medium", cell: ({ id }) => <code>{id}</code> },
};

export const columnName = (id: ColumnId): string => COLUMNS[id].header;

/** In the order of the table; the name is always there, since it is the link. */
export function columnsOf(chosen: readonly ColumnId[]): Column<Job>[] {
  return COLUMN_IDS.filter((id) => id === "name" || chosen.includes(id)).map((id) => ({ id, ...COLUMNS[id] }));
}

function JobStatus({ job }: { job: Job }) {
  if (job.failure != null) {
    return (
      <span title={job.failure.message}>
        <Status phase={job.phase}>
          {inWords(job.phase)} <span className={styles.class}>{inWords(job.failure.class)}</span>
        </Status>
      </span>
    );
  }
  if (job.stop_requested && !hasEnded(job.phase)) return <Status phase={job.phase}>cancelling</Status>;
  return <Status phase={job.phase} />;
}

/** Why it waits, in full and across the row: the one thing that its owner wants to know. */
export function waitingNote(job: Job) {
  if (!isWaiting(job.phase)) return null;
  const place = job.queue == null ? "" : `Place ${job.queue.position} in the queue of pool ${job.queue.pool}. `;
  const text = `${place}${job.message || reasonInWords(job.reason)}`;
  return (
    <span className={styles.note} title={text}>
      {text}
    </span>
  );
}

/** `2 GPU · 9 CPU · 12 GiB`: all nodes that it starts with. */
export function resourcesInWords({ spec }: Job): string {
  if (spec.cluster != null) return "of its cluster";
  const { gpu, cpu, memory } = totalResources(spec.resources ?? {});
  const parts = [gpu > 0 ? `${formatNumber(gpu)} GPU` : "", `${formatNumber(cpu)} CPU`, formatBytes(memory)];
  return parts.filter(Boolean).join(" · ");
}
