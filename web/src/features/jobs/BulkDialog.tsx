import { useState } from "react";
import { api } from "@/api/client";
import type { Job } from "@/api/stream";
import { plural } from "@/lib/format";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { notifyDone } from "@/ui/notify";
import { type Change, canChange, changeAll, type Outcome } from "./bulk";
import styles from "./Jobs.module.css";

interface BulkDialogProps {
  project: string;
  change: Change;
  jobs: readonly Job[];
  onClose: () => void;
  /** With those that were refused. */
  onDone: (refused: Job[]) => void;
}

const WORDS = {
  cancel: {
    verb: "Cancel",
    done: "asked to end",
    text: "Each gets SIGTERM and its grace period to save its work; then all that is left of it is killed.",
  },
  retry: { verb: "Retry", done: "queued again", text: "Each gets a new attempt with the same code and checkpoints." },
} as const;

/** Asks, does it to one after the other while it counts, and tells which were refused and why. */
export function BulkDialog({ project, change, jobs, onClose, onDone }: BulkDialogProps) {
  // What can be changed is decided when the dialog opens; the count on the button must not change under the pointer.
  const [able] = useState(() => jobs.filter((job) => canChange(change, job)));
  const [done, setDone] = useState<number | null>(null);
  const [refused, setRefused] = useState<Outcome[]>([]);
  const words = WORDS[change];
  const unable = jobs.length - able.length;

  const start = async () => {
    setDone(0);
    const outcomes = await changeAll(able, changeOf(project, change), () => setDone((count) => (count ?? 0) + 1));
    const failed = outcomes.filter(({ error }) => error !== null);
    onDone(failed.map(({ job }) => job));
    if (able.length > failed.length) notifyDone(`${plural(able.length - failed.length, "job")} ${words.done}.`);
    if (failed.length === 0) onClose();
    else setRefused(failed);
  };

  if (refused.length > 0) return <Refused verb={words.verb} total={able.length} refused={refused} onClose={onClose} />;
  return (
    <Dialog
      title={`${words.verb} ${able.length === 1 ? (able[0]?.name ?? "the job") : plural(able.length, "job")}?`}
      onClose={onClose}
      persistent={done !== null}
      actions={
        <>
          {done === null && <Button onClick={onClose}>Leave {able.length === 1 ? "it" : "them"}</Button>}
          <Button kind={change === "cancel" ? "danger" : "primary"} busy={done !== null} onClick={() => void start()}>
            {done === null ? `${words.verb} ${plural(able.length, "job")}` : `${done} of ${able.length}`}
          </Button>
        </>
      }
    >
      <p>{words.text}</p>
      {unable > 0 && (
        <p>
          {plural(unable, "selected job")} {unable === 1 ? "is" : "are"} left alone:{" "}
          {change === "cancel" ? "ended, or ending already" : "only what failed or was cancelled can be tried again"}.
        </p>
      )}
    </Dialog>
  );
}

function Refused({
  verb,
  total,
  refused,
  onClose,
}: {
  verb: string;
  total: number;
  refused: Outcome[];
  onClose: () => void;
}) {
  return (
    <Dialog
      title={`${verb}: ${refused.length} of ${total} refused`}
      onClose={onClose}
      actions={<Button onClick={onClose}>Close</Button>}
    >
      <p>They stay selected.</p>
      <ul className={styles.outcomes}>
        {refused.map(({ job, error }) => (
          <li key={job.id}>
            <strong>{job.name}</strong>: {error?.detail} {error?.hint}
            {error?.request_id != null && <small>Request {error.request_id}</small>}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function changeOf(project: string, change: Change): (job: Job) => Promise<unknown> {
  return ({ id }) => {
    const params = { path: { project, job: id } };
    return change === "cancel"
      ? api.POST("/api/v1/projects/{project}/jobs/{job}:cancel", { params })
      : api.POST("/api/v1/projects/{project}/jobs/{job}:retry", { params });
  };
}
