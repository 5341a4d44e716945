import { useCallback } from "react";
import { paths } from "@/lib/paths";
import { type JobSearch, jobRoute } from "./feature";

export type { JobSearch };

/** What the address says, and how to say something else. `undefined` takes a part away. */
export function useJobSearch(): [search: JobSearch, change: (part: Partial<JobSearch>) => void] {
  const search = jobRoute.useSearch();
  const navigate = jobRoute.useNavigate();
  const change = useCallback(
    (part: Partial<JobSearch>) =>
      void navigate({ search: (now) => ({ ...now, ...part }), replace: true, resetScroll: false }),
    [navigate],
  );
  return [search, change];
}

/** The address of a tab of this job. */
export function useJobHref(): (search: JobSearch) => string {
  const { project, job } = jobRoute.useParams();
  return useCallback((search) => paths.job(project, job, search), [project, job]);
}
