import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import { $api, api } from "@/api/client";
import { pagesOf } from "@/api/pages";
import { pollWithoutStream } from "@/api/queries";
import { type JobsSearch, toCountQuery, toQuery } from "./search";

const JOBS = "/api/v1/projects/{project}/jobs";
const PAGE = 100;
/** A list of more pages is not read again by itself: that would ask for all of them. */
const POLLED_PAGES = 3;

export const jobsQuery = (project: string, search: JobsSearch) => {
  const query = toQuery(search);
  return infiniteQueryOptions({
    queryKey: ["get", JOBS, { params: { path: { project }, query }, pages: true }] as const,
    ...pagesOf(({ cursor, signal }) =>
      api.GET(JOBS, { params: { path: { project }, query: { ...query, cursor, limit: PAGE } }, signal }),
    ),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= POLLED_PAGES ? pollWithoutStream(true) : false),
  });
};

export const countsQuery = (project: string, search: JobsSearch) =>
  $api.queryOptions(
    "get",
    "/api/v1/projects/{project}/jobs:count",
    { params: { path: { project }, query: toCountQuery(search) } },
    { placeholderData: keepPreviousData, refetchInterval: () => pollWithoutStream(true) },
  );

/** Whether the project has any job at all: an empty list means something else in one that has none. */
export const anyJobQuery = (project: string) =>
  $api.queryOptions("get", JOBS, { params: { path: { project }, query: { limit: 1 } } });

export const clustersQuery = (project: string) =>
  $api.queryOptions("get", "/api/v1/projects/{project}/clusters", {
    params: { path: { project }, query: { limit: 100 } },
  });
