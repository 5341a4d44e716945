import type { components } from "@openapi";
import { infiniteQueryOptions } from "@tanstack/react-query";
import { api } from "@/api/client";
import { pagesOf } from "@/api/pages";
import { pollWithoutStream } from "@/api/queries";

export type Event = components["schemas"]["EventRead"];

const EVENTS = "/api/v1/projects/{project}/events";
const PAGE = 100;

export interface EventFilter {
  resource?: string | undefined;
  resource_id?: string | undefined;
  reason?: string[] | undefined;
  /** A moment, or a length of time such as `24h`. */
  since?: string | undefined;
}

/** Newest first. While the stream is live it says how many are new; only without it the list is read again by itself. */
export function eventsQuery(project: string, filter: EventFilter) {
  return infiniteQueryOptions({
    queryKey: ["get", EVENTS, { params: { path: { project }, query: filter } }],
    ...pagesOf(({ cursor, signal }) =>
      api.GET(EVENTS, { params: { path: { project }, query: { ...filter, limit: PAGE, cursor } }, signal }),
    ),
    refetchOnWindowFocus: false,
    refetchInterval: () => pollWithoutStream(false),
  });
}
