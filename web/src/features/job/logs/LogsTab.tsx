import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Empty } from "@/ui/states";
import { hasEnded } from "@/ui/status";
import { useJobSearch } from "../address";
import { attemptsQuery, type Job, sourcesQuery } from "../queries";
import { LogPane } from "./LogPane";

/**
 * The log of one attempt: the one in the address, else the newest. A new attempt never takes away what is being read; a button
 * leads to it.
 */
export default function LogsTab({ job }: { job: Job }) {
  const key = { project: job.project, job: job.id };
  const isLive = !hasEnded(job.phase);
  const [search] = useJobSearch();
  const [opened, setOpened] = useState(job.attempt);
  if (opened === 0 && job.attempt > 0) setOpened(job.attempt);
  const attempt = search.attempt ?? opened;
  const attempts = useQuery(attemptsQuery(key, isLive));
  const sources = useQuery(sourcesQuery(key, attempt > 0 ? attempt : undefined, isLive));
  if (attempt === 0) {
    return (
      <Empty title={isLive ? "There is no log yet" : "It never started, so there is no log"}>
        <p>{job.message}</p>
      </Empty>
    );
  }
  return (
    <LogPane
      job={job}
      attempt={attempt}
      attempts={attempts.data?.items ?? []}
      sources={sources.data?.items ?? []}
      isCurrent={attempt === job.attempt}
    />
  );
}
