import type { components } from "@openapi";
import { infiniteQueryOptions } from "@tanstack/react-query";
import { $api, api } from "@/api/client";
import { pagesOf } from "@/api/pages";
import { pollEvery, pollWithoutStream } from "@/api/queries";
import { hasEnded } from "@/ui/status";

type Schemas = components["schemas"];
export type Job = Schemas["JobRead"];
export type Attempt = Schemas["AttemptRead"];
export type Why = Schemas["Why"];
export type Failure = Schemas["Failure"];
export type MetricSeries = Schemas["MetricSeries"];
export type NodeSamples = Schemas["NodeSamples"];
export type Artifact = Schemas["ArtifactRead"];

const JOB = "/api/v1/projects/{project}/jobs/{job}";

/** Of one job. `job` is its id everywhere, so that the stream's news find what is cached. */
export interface JobKey {
  project: string;
  job: string;
}

/** Follows the stream, and asks by itself while that is away. */
export const shownJobQuery = (project: string, job: string) =>
  $api.queryOptions(
    "get",
    JOB,
    { params: { path: { project, job } } },
    { refetchInterval: ({ state }) => pollWithoutStream(state.data !== undefined && !hasEnded(state.data.phase)) },
  );

export const attemptsQuery = (key: JobKey, isLive: boolean) =>
  $api.queryOptions(
    "get",
    `${JOB}/attempts`,
    { params: { path: { ...key } } },
    { refetchInterval: () => pollWithoutStream(isLive) },
  );

export const whyQuery = (key: JobKey) =>
  $api.queryOptions("get", `${JOB}/why`, { params: { path: { ...key } } }, { refetchInterval: pollEvery(true) });

export const sourcesQuery = (key: JobKey, attempt: number | undefined, isLive: boolean) =>
  $api.queryOptions(
    "get",
    `${JOB}/logs/sources`,
    { params: { path: { ...key }, query: { attempt } } },
    { refetchInterval: isLive ? pollEvery(true) : false },
  );

export const METRIC_POINTS = 2000;

export const metricsQuery = (key: JobKey, attempt: number | undefined, keys: string[] | undefined, isLive: boolean) =>
  $api.queryOptions(
    "get",
    `${JOB}/metrics`,
    { params: { path: { ...key }, query: { attempt, key: keys, max_points: METRIC_POINTS } } },
    {
      refetchInterval: isLive ? pollEvery(true) : false,
      placeholderData: (before: Schemas["Metrics"] | undefined) => before,
    },
  );

export const samplesQuery = (key: JobKey, attempt: number | undefined, isLive: boolean) =>
  $api.queryOptions(
    "get",
    `${JOB}/samples`,
    { params: { path: { ...key }, query: { attempt, max_points: 1000 } } },
    { refetchInterval: isLive ? pollEvery(true) : false },
  );

export const eventsQuery = (key: JobKey, attempt: number | undefined) => {
  const params = { path: { ...key }, query: { attempt, newest_first: true, limit: 100 } };
  return infiniteQueryOptions({
    queryKey: ["get", `${JOB}/events`, { params }],
    ...pagesOf(({ cursor, signal }) =>
      api.GET(`${JOB}/events`, { params: { ...params, query: { ...params.query, cursor } }, signal }),
    ),
    refetchInterval: () => pollWithoutStream(true),
  });
};

export const artifactsQuery = (key: JobKey, attempt: number | undefined, isLive: boolean) => {
  const params = { path: { ...key }, query: { attempt, limit: 200 } };
  return infiniteQueryOptions({
    queryKey: ["get", `${JOB}/artifacts`, { params }],
    ...pagesOf(({ cursor, signal }) =>
      api.GET(`${JOB}/artifacts`, { params: { ...params, query: { ...params.query, cursor } }, signal }),
    ),
    refetchInterval: isLive ? pollEvery(true) : false,
  });
};

export const packageQuery = (project: string, digest: string) =>
  $api.queryOptions(
    "get",
    "/api/v1/projects/{project}/packages/{digest}",
    { params: { path: { project, digest } } },
    { staleTime: Number.POSITIVE_INFINITY },
  );

/** Addresses of bytes, for links that download. */
const at = ({ project, job }: JobKey, path: string, query: Record<string, string | number | undefined>) => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return `/api/v1/projects/${encodeURIComponent(project)}/jobs/${encodeURIComponent(job)}/${path}?${search}`;
};

export const downloads = {
  log: (key: JobKey, attempt: number | undefined, source: string | undefined) =>
    at(key, "logs/raw", { attempt, source }),
  artifact: (key: JobKey, attempt: number | undefined, path: string) => at(key, "artifacts/content", { attempt, path }),
  result: (key: JobKey) => at(key, "result", {}),
  package: (project: string, digest: string) =>
    `/api/v1/projects/${encodeURIComponent(project)}/packages/${encodeURIComponent(digest)}/content`,
};
