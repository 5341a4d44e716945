/**
 * A stand-in for the platform in component tests only; browser tests use the real one. Answers are typed by the API's document, so
 * that they cannot drift from it.
 */
import type { paths } from "@openapi";
import { type DefaultBodyType, HttpResponse, http, type PathParams } from "msw";
import { setupServer } from "msw/node";
import { makeProblem } from "./make";

export const platform = setupServer();

type Method = "get" | "post" | "put" | "patch" | "delete";
type PathsWith<M extends Method> = { [P in keyof paths]: paths[P] extends Record<M, object> ? P : never }[keyof paths];
type Responses<P extends keyof paths, M extends Method> = paths[P][M] extends { responses: infer R } ? R : never;
type Success<R> = R extends { 200: infer A }
  ? A
  : R extends { 201: infer A }
    ? A
    : R extends { 202: infer A }
      ? A
      : never;
type Body<A> = A extends { content: { "application/json": infer J } } ? J : never;

interface Asked {
  params: PathParams;
  query: URLSearchParams;
  request: Request;
}

/** Have the platform answer: `answers("get", "/api/v1/me", makeMe())`. A function sees what is asked. */
export function answers<M extends Method, P extends PathsWith<M>>(
  method: M,
  path: P,
  body:
    | Body<Success<Responses<P, M>>>
    | ((asked: Asked) => Body<Success<Responses<P, M>>> | Promise<Body<Success<Responses<P, M>>>>),
): void {
  platform.use(
    http[method](pattern(path), async ({ request, params }) => {
      const asked = { params, query: new URL(request.url).searchParams, request };
      const made = typeof body === "function" ? await (body as (asked: Asked) => unknown)(asked) : body;
      return HttpResponse.json(made as DefaultBodyType);
    }),
  );
}

/** Have the platform refuse, with a problem document. */
export function refuses<M extends Method, P extends PathsWith<M>>(
  method: M,
  path: P,
  status: number,
  code: string,
  detail = "No.",
): void {
  const problem = makeProblem({ status, code, detail });
  platform.use(http[method](pattern(path), () => HttpResponse.json(problem, { status })));
}

/** Have the platform be away. */
export function isAway<M extends Method, P extends PathsWith<M>>(method: M, path: P): void {
  platform.use(http[method](pattern(path), () => HttpResponse.error()));
}

/** `/a/{b}:cancel` → what the stand-in matches: its parameters start with a colon, which a verb's colon must not. */
function pattern(path: string): string {
  return `*${path.replace(/:([a-z-]+)$/, "\\:$1").replace(/\{(\w+)\}/g, ":$1")}`;
}
