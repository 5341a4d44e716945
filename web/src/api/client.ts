import type { paths } from "@openapi";
import createClient, { type Middleware } from "openapi-fetch";
import createQueries from "openapi-react-query";
import { randomId } from "@/lib/ids";
import { ApiError } from "./errors";
import { sessionEnded } from "./session-state";

const guard: Middleware = {
  onRequest({ request }) {
    if (request.method === "POST" && !request.headers.has("Idempotency-Key")) {
      request.headers.set("Idempotency-Key", randomId());
    }
    return request;
  },
  async onResponse({ response }) {
    if (response.ok || response.status === 304) return undefined;
    const error = await ApiError.fromResponse(response);
    if (error.code === "not_signed_in") sessionEnded();
    throw error;
  },
  onError({ error }) {
    if (error instanceof DOMException && error.name === "AbortError") return undefined;
    return ApiError.offline(error);
  },
};

/**
 * The platform's API, typed by its document. Answers are data; everything else is thrown as an `ApiError`.
 *
 * The sign-in is a cookie that scripts cannot read. `fetch` is looked up at each call, so that tests can stand in.
 */
export const api = createClient<paths>({
  baseUrl: globalThis.location.origin,
  credentials: "same-origin",
  fetch: (request) => globalThis.fetch(request),
});
api.use(guard);

/** Hooks and query options on top of `api`: `$api.useQuery("get", "/api/v1/projects/{project}", {...})`. */
export const $api = createQueries(api);
