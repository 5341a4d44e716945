import type { components } from "@openapi";
import { $api } from "@/api/client";
import { pollEvery } from "@/api/queries";

export type Health = components["schemas"]["PlatformHealth"];

/** Administrators only. */
export const healthQuery = () => $api.queryOptions("get", "/api/v1/health", {}, { refetchInterval: pollEvery(true) });
