import { useQuery } from "@tanstack/react-query";
import { hasEnded } from "@/ui/status";
import styles from "./AttemptChoice.module.css";
import { useJobSearch } from "./address";
import { attemptsQuery, type Job } from "./queries";

interface AttemptChoiceProps {
  job: Job;
  /** Where there is one: a choice of all of them. */
  all?: string;
}

/** Which attempt is shown; nothing where there is only one. */
export function AttemptChoice({ job, all }: AttemptChoiceProps) {
  const [{ attempt }, change] = useJobSearch();
  const query = useQuery(attemptsQuery({ project: job.project, job: job.id }, !hasEnded(job.phase)));
  const attempts = query.data?.items ?? [];
  if (attempts.length < 2 && attempt === undefined) return null;
  const value = attempt ?? (all === undefined ? job.attempt : "");
  return (
    <label className={styles.choice}>
      Attempt
      <select
        value={value}
        onChange={(event) => change({ attempt: event.target.value === "" ? undefined : Number(event.target.value) })}
      >
        {all !== undefined && <option value="">{all}</option>}
        {attempts.map(({ number, outcome, phase }) => (
          <option key={number} value={number}>
            {number}: {outcome ?? phase}
          </option>
        ))}
      </select>
    </label>
  );
}
