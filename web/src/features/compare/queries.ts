import { $api } from "@/api/client";
import { pollWithoutStream } from "@/api/queries";

const POINTS = 800;
/** An ended job's metrics change no more; a running one's are read now and then. */
const AGAIN_MS = 15_000;

export const metricsQuery = (project: string, job: string, isLive: boolean) =>
  $api.queryOptions(
    "get",
    "/api/v1/projects/{project}/jobs/{job}/metrics",
    { params: { path: { project, job }, query: { max_points: POINTS } } },
    { refetchInterval: isLive ? AGAIN_MS : false, staleTime: isLive ? AGAIN_MS : Number.POSITIVE_INFINITY },
  );

const FOR_EVER = { staleTime: Number.POSITIVE_INFINITY } as const;
const FILES = 5000;

/** The files of a package; of more than so many the first ones. */
export const filesQuery = (project: string, digest: string) =>
  $api.queryOptions(
    "get",
    "/api/v1/projects/{project}/packages/{digest}/files",
    { params: { path: { project, digest }, query: { limit: FILES } } },
    FOR_EVER,
  );

/** The lock of the job's environment. */
export const environmentQuery = (project: string, job: string) =>
  $api.queryOptions(
    "get",
    "/api/v1/projects/{project}/jobs/{job}/environment",
    { params: { path: { project, job } } },
    { staleTime: 60_000 },
  );

/** What the job logged: its parameters. */
export const runQuery = (project: string, job: string, isLive: boolean) =>
  $api.queryOptions(
    "get",
    "/api/v1/projects/{project}/jobs/{job}/run",
    { params: { path: { project, job } } },
    { refetchInterval: isLive ? AGAIN_MS : false, staleTime: isLive ? AGAIN_MS : Number.POSITIVE_INFINITY },
  );

/** Jobs to choose from: those that `search` finds, else the newest. */
export const candidatesQuery = (project: string, search: string) =>
  $api.queryOptions(
    "get",
    "/api/v1/projects/{project}/jobs",
    { params: { path: { project }, query: { search: search || undefined, limit: 12 } } },
    { refetchInterval: () => pollWithoutStream(false) },
  );
