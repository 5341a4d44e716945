import type { components } from "@openapi";
import { infiniteQueryOptions } from "@tanstack/react-query";
import { $api, api } from "@/api/client";
import { pagesOf } from "@/api/pages";
import { pollEvery } from "@/api/queries";

export type Environment = components["schemas"]["EnvironmentRead"];
export type EnvironmentPhase = components["schemas"]["EnvironmentPhase"];

export const ENVIRONMENTS = "/api/v1/projects/{project}/environments";
const EVENTS = "/api/v1/projects/{project}/events";
const PAGE = 100;
const MOST_EVENTS = 50;

export interface EnvironmentFilter {
  phase?: EnvironmentPhase | undefined;
  name?: string | undefined;
}

const isResolving = ({ phase }: Environment) => phase === "resolving";

export function environmentsQuery(project: string, filter: EnvironmentFilter) {
  return infiniteQueryOptions({
    queryKey: ["get", ENVIRONMENTS, { params: { path: { project }, query: filter } }],
    ...pagesOf(({ cursor, signal }) =>
      api.GET(ENVIRONMENTS, { params: { path: { project }, query: { ...filter, limit: PAGE, cursor } }, signal }),
    ),
    refetchInterval: ({ state }) => pollEvery(state.data?.pages.some(({ items }) => items.some(isResolving)) ?? false),
  });
}

export const environmentQuery = (project: string, environment: string) =>
  $api.queryOptions(
    "get",
    `${ENVIRONMENTS}/{environment}`,
    { params: { path: { project, environment } } },
    { refetchInterval: ({ state }) => pollEvery(state.data !== undefined && isResolving(state.data)) },
  );

/** What happened to it, newest first. */
export const environmentEventsQuery = (project: string, id: string) =>
  $api.queryOptions("get", EVENTS, {
    params: { path: { project }, query: { resource: "environment", resource_id: id, limit: MOST_EVENTS } },
  });
