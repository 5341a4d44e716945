import type { components, paths } from "@openapi";
import { infiniteQueryOptions } from "@tanstack/react-query";
import { $api, api } from "@/api/client";
import { pagesOf } from "@/api/pages";
import { pollEvery } from "@/api/queries";

export type Pool = components["schemas"]["PoolRead"];
/** What of the pools is held and waited for, as far as the person may know by whom. */
export type Usage = paths["/api/v1/usage"]["get"]["responses"][200]["content"]["application/json"];
export type PoolUsage = Usage["pools"][number];

const POOLS = "/api/v1/pools";
const PAGE = 200;

export const poolsQuery = () =>
  infiniteQueryOptions({
    queryKey: ["get", POOLS, {}],
    ...pagesOf(({ cursor, signal }) => api.GET(POOLS, { params: { query: { limit: PAGE, cursor } }, signal })),
    refetchInterval: () => pollEvery(true),
  });

export const usageQuery = () =>
  $api.queryOptions("get", "/api/v1/usage", {}, { refetchInterval: () => pollEvery(true) });
