import { useQuery } from "@tanstack/react-query";
import { $api } from "@/api/client";
import { formatInstant } from "@/lib/time";
import { usePreferences } from "@/preferences/preferences";
import { useJobSearch } from "../address";
import type { Job } from "../queries";
import styles from "./Code.module.css";

const OFFERED = 50;

/** Which job to compare with: one of the last ones; those of the same name first, as they are most alike. */
export function OtherJob({ job }: { job: Job }) {
  const [{ with: other }, change] = useJobSearch();
  const zone = usePreferences().times === "local" ? "local" : "utc";
  const query = useQuery(
    $api.queryOptions("get", "/api/v1/projects/{project}/jobs", {
      params: { path: { project: job.project }, query: { limit: OFFERED } },
    }),
  );
  const jobs = (query.data?.items ?? []).filter(({ id }) => id !== job.id);
  const offered = [...jobs.filter(({ name }) => name === job.name), ...jobs.filter(({ name }) => name !== job.name)];
  const isKnown = other === undefined || offered.some(({ id }) => id === other);
  return (
    <label className={styles.other}>
      Compare with
      <select value={other ?? ""} onChange={(event) => change({ with: event.target.value || undefined })}>
        <option value="">no other job</option>
        {!isKnown && <option value={other}>{other}</option>}
        {offered.map(({ id, name, created_at, phase }) => (
          <option key={id} value={id}>
            {name}, {phase}, {formatInstant(new Date(created_at), zone)}
          </option>
        ))}
      </select>
    </label>
  );
}
