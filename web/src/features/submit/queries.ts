import type { components } from "@openapi";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { $api, api } from "@/api/client";
import type { Job } from "@/api/stream";
import type { Spec } from "./schema";

type JobCreate = components["schemas"]["JobCreate-Input"];
export type DryRun = components["schemas"]["DryRun"];

const JOBS = "/api/v1/projects/{project}/jobs";
/** Whether it fits now changes while one types. */
const AGAIN_MS = 15_000;
const OFFERED = 200;

/** What would happen if `spec` were submitted now. */
export const dryRunQuery = (project: string, spec: Spec) =>
  queryOptions({
    queryKey: ["post", `${JOBS}?dry_run`, project, spec] as const,
    queryFn: async ({ signal }): Promise<DryRun> => {
      const params = { path: { project }, query: { dry_run: true } };
      const { data } = await api.POST(JOBS, { params, body: spec as unknown as JobCreate, signal });
      if (data === undefined || !("fits_now" in data)) throw new Error("the platform answered a dry run with a job");
      return data;
    },
    placeholderData: keepPreviousData,
    refetchInterval: AGAIN_MS,
    retry: false,
  });

/** Make the job. The same `key` makes the same job, however often it is sent. */
export async function submitJob(project: string, spec: Spec, key: string): Promise<Job> {
  const params = { path: { project }, header: { "Idempotency-Key": key } };
  const { data } = await api.POST(JOBS, { params, body: spec as unknown as JobCreate });
  if (data === undefined || !("id" in data)) throw new Error("the platform answered without a job");
  return data;
}

const inProject = (project: string) => ({ params: { path: { project }, query: { limit: OFFERED } } });

export const poolsQuery = () => $api.queryOptions("get", "/api/v1/pools", { params: { query: { limit: OFFERED } } });
export const packagesQuery = (project: string) =>
  $api.queryOptions("get", "/api/v1/projects/{project}/packages", inProject(project));
export const clustersQuery = (project: string) =>
  $api.queryOptions("get", "/api/v1/projects/{project}/clusters", inProject(project));
export const environmentsQuery = (project: string) =>
  $api.queryOptions("get", "/api/v1/projects/{project}/environments", inProject(project));
