import type { components } from "@openapi";
import { queryOptions } from "@tanstack/react-query";
import { ApiError } from "@/api/errors";
import { pollEvery } from "@/api/queries";

export type Readiness = components["schemas"]["Readiness"];

/** Each dependency. That one is away is an answer here (503), not a failure to answer. */
export const readinessQuery = () =>
  queryOptions({
    queryKey: ["get", "/readyz", {}],
    queryFn: async ({ signal }): Promise<Readiness> => {
      const response = await globalThis.fetch("/readyz", { signal }).catch((error: unknown) => {
        throw ApiError.offline(error);
      });
      const isAnswer = response.ok || response.status === 503;
      const body: unknown = isAnswer ? await response.json().catch(() => null) : null;
      if (!isReadiness(body)) throw await ApiError.fromResponse(response);
      return body;
    },
    refetchInterval: pollEvery(true),
  });

function isReadiness(body: unknown): body is Readiness {
  return typeof body === "object" && body !== null && Array.isArray((body as Readiness).dependencies);
}
