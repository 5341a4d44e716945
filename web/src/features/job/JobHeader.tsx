import { useState } from "react";
import { useMay } from "@/api/me";
import { paths } from "@/lib/paths";
import { useShortcut } from "@/shortcuts/registry";
import { Button, ButtonLink } from "@/ui/Button";
import { Confirm } from "@/ui/Confirm";
import { Copyable } from "@/ui/Copy";
import { Copy, GitCompare, OctagonX, RotateCcw } from "@/ui/icons";
import { notifyFailed } from "@/ui/notify";
import { PageHeader } from "@/ui/PageHeader";
import { Status } from "@/ui/Status";
import { hasEnded, inWords, isWaiting } from "@/ui/status";
import { Duration, Time } from "@/ui/Time";
import { actionsOf, useCancel, useRetry } from "./actions";
import { tabMarkOf } from "./favicon";
import type { Job } from "./queries";

interface JobHeaderProps {
  project: string;
  job: Job;
}

export function JobHeader({ project, job }: JobHeaderProps) {
  return (
    <PageHeader
      title={job.name}
      tabMark={tabMarkOf(job.phase)}
      above={[{ label: "Jobs", href: paths.jobs(project) }]}
      status={
        <Status phase={job.phase} badge>
          {job.stop_requested && !hasEnded(job.phase) ? "cancelling" : inWords(job.phase)}
        </Status>
      }
      actions={<JobActions project={project} job={job} />}
      meta={
        <>
          <Copyable text={job.id} what="job id" />
          <span>{job.kind}</span>
          <span>by {job.created_by}</span>
          <span>
            submitted <Time at={job.created_at} />
          </span>
          <Length job={job} />
          {job.attempt > 1 && <span>attempt {job.attempt}</span>}
        </>
      }
    />
  );
}

function Length({ job }: { job: Job }) {
  if (isWaiting(job.phase)) {
    return (
      <span>
        waiting for <Duration since={job.phase_since} />
      </span>
    );
  }
  if (job.started_at === null || job.started_at === undefined) return null;
  return (
    <span>
      ran for <Duration since={job.started_at} until={job.ended_at ?? null} />
    </span>
  );
}

/** Only what the person may do, and what the job's phase allows. */
function JobActions({ project, job }: JobHeaderProps) {
  const [asking, setAsking] = useState(false);
  const key = { project, job: job.id };
  const cancel = useCancel(key, job.name);
  const retry = useRetry(key, job.name);
  const mayEdit = useMay(project, "editor");
  const may = actionsOf(job);
  const tryAgain = () => retry.mutate(undefined, { onError: (error) => notifyFailed(`retry ${job.name}`, error) });
  useShortcut("c", "Cancel the job", "Job", () => setAsking(true), mayEdit && may.cancel);
  useShortcut("r", "Try the job again", "Job", tryAgain, mayEdit && may.retry && !retry.isPending);
  return (
    <>
      <ButtonLink href={paths.compare(project, [job.id])} icon={<GitCompare aria-hidden="true" />}>
        Compare
      </ButtonLink>
      {mayEdit && (
        <ButtonLink href={paths.newJob(project, { from: job.id })} icon={<Copy aria-hidden="true" />}>
          Clone
        </ButtonLink>
      )}
      {mayEdit && may.retry && (
        <Button kind="primary" busy={retry.isPending} onClick={tryAgain} icon={<RotateCcw aria-hidden="true" />}>
          Retry
        </Button>
      )}
      {mayEdit && may.cancel && (
        <Button kind="danger" onClick={() => setAsking(true)} icon={<OctagonX aria-hidden="true" />}>
          Cancel
        </Button>
      )}
      {asking && (
        <Confirm
          title={`Cancel ${job.name}?`}
          verb="Cancel job"
          onConfirm={() => cancel.mutateAsync()}
          onClose={() => setAsking(false)}
        >
          {isWaiting(job.phase)
            ? "It leaves the queue and loses its place. Retry puts it back at the end."
            : `Its process gets a signal to end, and ${job.spec.grace ?? "30s"} to do so; then all that is left of it is killed. Logs, metrics and artifacts stay. Retry starts it again.`}
        </Confirm>
      )}
    </>
  );
}
