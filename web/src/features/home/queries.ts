import { $api } from "@/api/client";
import { pollWithoutStream } from "@/api/queries";

/** What runs, what waits, what failed; kept up to date by the stream (see `api/live.ts`). */
export const homeQuery = (project: string) =>
  $api.queryOptions(
    "get",
    "/api/v1/projects/{project}/home",
    { params: { path: { project } } },
    { refetchInterval: () => pollWithoutStream(true) },
  );

/** What happened in the project since that moment. */
export const changesQuery = (project: string, since: string) =>
  $api.queryOptions("get", "/api/v1/projects/{project}/events", {
    params: { path: { project }, query: { since, limit: 50 } },
  });
