import { QueryClient } from "@tanstack/react-query";
import { $api } from "./client";
import { toApiError } from "./errors";
import { eventStream } from "./stream";

const FRESH_MS = 5_000;
const POLL_ACTIVE_MS = 5_000;
const POLL_IDLE_MS = 30_000;

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        retry: (failures, error) => toApiError(error).isTransient && failures < 3,
        refetchOnWindowFocus: true,
        throwOnError: false,
      },
      mutations: { retry: false },
    },
  });
}

/** Who is signed in, and the projects of that person. */
export const meQuery = () => $api.queryOptions("get", "/api/v1/me", {}, { staleTime: 60_000 });

export const projectQuery = (project: string) =>
  $api.queryOptions("get", "/api/v1/projects/{project}", { params: { path: { project } } });

export const jobQuery = (project: string, job: string) =>
  $api.queryOptions("get", "/api/v1/projects/{project}/jobs/{job}", { params: { path: { project, job } } });

/**
 * For `refetchInterval` of what the stream does not carry, or as its fallback: often while something `active` is shown, seldom
 * else. The browser's own rule stops it in a hidden tab.
 */
export function pollEvery(active: boolean): number {
  return active ? POLL_ACTIVE_MS : POLL_IDLE_MS;
}

/** As `pollEvery` while the stream is away; not at all while it is live. */
export function pollWithoutStream(active: boolean): number | false {
  return eventStream.status.get().state === "live" ? false : pollEvery(active);
}
