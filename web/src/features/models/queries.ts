import type { components } from "@openapi";
import { infiniteQueryOptions } from "@tanstack/react-query";
import { $api, api } from "@/api/client";
import { pagesOf } from "@/api/pages";
import { pollEvery } from "@/api/queries";

export type Model = components["schemas"]["ModelRead"];
export type Version = components["schemas"]["ModelVersionRead"];

export const MODELS = "/api/v1/projects/{project}/models";
export const VERSIONS = `${MODELS}/{model}/versions` as const;
const PAGE = 100;

const live = () => pollEvery(false);

export function modelsQuery(project: string, name: string | undefined) {
  return infiniteQueryOptions({
    queryKey: ["get", MODELS, { params: { path: { project }, query: { name } } }],
    ...pagesOf(({ cursor, signal }) =>
      api.GET(MODELS, { params: { path: { project }, query: { name, limit: PAGE, cursor } }, signal }),
    ),
    refetchInterval: live,
  });
}

export const modelQuery = (project: string, model: string) =>
  $api.queryOptions("get", `${MODELS}/{model}`, { params: { path: { project, model } } }, { refetchInterval: live });

/** Newest first. */
export function versionsQuery(project: string, model: string) {
  return infiniteQueryOptions({
    queryKey: ["get", VERSIONS, { params: { path: { project, model } } }],
    ...pagesOf(({ cursor, signal }) =>
      api.GET(VERSIONS, { params: { path: { project, model }, query: { limit: PAGE, cursor } }, signal }),
    ),
    refetchInterval: live,
  });
}
