import type { components } from "@openapi";
import { infiniteQueryOptions } from "@tanstack/react-query";
import { $api, api } from "@/api/client";
import { pagesOf } from "@/api/pages";
import { pollEvery } from "@/api/queries";
import { hasEnded } from "@/ui/status";

export type Cluster = components["schemas"]["ClusterRead"];
export type ClusterPhase = components["schemas"]["ClusterPhase"];

export const CLUSTERS = "/api/v1/projects/{project}/clusters";
const EVENTS = `${CLUSTERS}/{cluster}/events` as const;
const PAGE = 100;

export interface ClusterFilter {
  phase?: ClusterPhase[] | undefined;
  name?: string | undefined;
}

export function clustersQuery(project: string, filter: ClusterFilter) {
  return infiniteQueryOptions({
    queryKey: ["get", CLUSTERS, { params: { path: { project }, query: filter } }],
    ...pagesOf(({ cursor, signal }) =>
      api.GET(CLUSTERS, { params: { path: { project }, query: { ...filter, limit: PAGE, cursor } }, signal }),
    ),
    refetchInterval: ({ state }) => pollEvery(state.data?.pages.some(({ items }) => items.some(isChanging)) ?? false),
  });
}

export const clusterQuery = (project: string, cluster: string) =>
  $api.queryOptions(
    "get",
    `${CLUSTERS}/{cluster}`,
    { params: { path: { project, cluster } } },
    { refetchInterval: ({ state }) => pollEvery(state.data === undefined || isChanging(state.data)) },
  );

/** Its history, oldest first. */
export function clusterEventsQuery(project: string, cluster: string) {
  return infiniteQueryOptions({
    queryKey: ["get", EVENTS, { params: { path: { project, cluster } } }],
    ...pagesOf(({ cursor, signal }) =>
      api.GET(EVENTS, { params: { path: { project, cluster }, query: { limit: PAGE, cursor } }, signal }),
    ),
  });
}

/** Whether a next phase is on its way. */
function isChanging({ phase, nodes_ready, nodes_wanted }: Cluster): boolean {
  return !hasEnded(phase) && (phase !== "ready" || (nodes_ready ?? 0) < nodes_wanted);
}
