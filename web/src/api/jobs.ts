import type { paths } from "@openapi";
import { infiniteQueryOptions } from "@tanstack/react-query";
import { api } from "./client";
import { pagesOf } from "./pages";
import { pollWithoutStream } from "./queries";

const JOBS = "/api/v1/projects/{project}/jobs";

/** What the list of jobs can be narrowed by. */
export type JobFilter = Omit<NonNullable<paths[typeof JOBS]["get"]["parameters"]["query"]>, "cursor" | "limit">;

/** The jobs of a project that `filter` lets through, page by page, kept live by the stream. */
export function jobsQuery(project: string, filter: JobFilter, limit: number) {
  return infiniteQueryOptions({
    queryKey: ["get", JOBS, { params: { path: { project }, query: { ...filter, limit } } }],
    ...pagesOf(({ cursor, signal }) =>
      api.GET(JOBS, { params: { path: { project }, query: { ...filter, limit, cursor } }, signal }),
    ),
    refetchInterval: () => pollWithoutStream(true),
  });
}
