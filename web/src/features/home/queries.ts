import type { components } from "@openapi";
import { $api } from "@/api/client";
import { pollWithoutStream } from "@/api/queries";

type JobPhase = components["schemas"]["JobPhase"];

const SHOWN = 20;
const JOBS = "/api/v1/projects/{project}/jobs";

const live = () => pollWithoutStream(true);

function jobsIn(project: string, phase: JobPhase[], since?: string) {
  const query = { phase, limit: SHOWN, since };
  return $api.queryOptions("get", JOBS, { params: { path: { project }, query } }, { refetchInterval: live });
}

export const runningQuery = (project: string) => jobsIn(project, ["running", "sealing"]);
export const waitingQuery = (project: string) => jobsIn(project, ["queued", "admitted", "provisioning"]);
export const failedQuery = (project: string) => jobsIn(project, ["failed"], "24h");

/** Whether there has ever been a job. */
export const anyJobQuery = (project: string) =>
  $api.queryOptions("get", JOBS, { params: { path: { project }, query: { limit: 1 } } });

/** What happened in the project since that moment. */
export const changesQuery = (project: string, since: string) =>
  $api.queryOptions("get", "/api/v1/projects/{project}/events", {
    params: { path: { project }, query: { since, limit: 50 } },
  });
