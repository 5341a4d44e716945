import type { components } from "@openapi";

export type Problem = components["schemas"]["Problem"];

/** What a request failed with: the platform's problem document, or that nothing answered at all. */
export class ApiError extends Error implements Problem {
  readonly type = "about:blank";
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly hint?: string | null;
  readonly request_id?: string | null;
  readonly errors: NonNullable<Problem["errors"]>;
  readonly data: NonNullable<Problem["data"]>;

  constructor(problem: Problem, options?: ErrorOptions) {
    super(problem.detail, options);
    this.name = "ApiError";
    this.title = problem.title;
    this.status = problem.status;
    this.code = problem.code;
    this.detail = problem.detail;
    this.hint = problem.hint ?? null;
    this.request_id = problem.request_id ?? null;
    this.errors = problem.errors ?? [];
    this.data = problem.data ?? {};
  }

  /** No answer: the network, or the platform, is away. */
  get isOffline(): boolean {
    return this.status === 0;
  }

  /** Whether the same request may well succeed a little later. */
  get isTransient(): boolean {
    return this.isOffline || this.status === 429 || this.status >= 502;
  }

  /** The sentence about one field of a form, by its path such as `resources.groups.0.gpu`. */
  fieldMessage(field: string): string | undefined {
    return this.errors.find((problem) => problem.field === field)?.message;
  }

  static offline(cause: unknown): ApiError {
    return new ApiError(
      {
        title: "No connection",
        status: 0,
        code: "offline",
        detail: "The platform does not answer.",
        hint: "Check the network. This page goes on by itself once the platform answers again.",
      },
      { cause },
    );
  }

  static async fromResponse(response: Response): Promise<ApiError> {
    const body: unknown = await response
      .clone()
      .json()
      .catch(() => null);
    return new ApiError(isProblem(body) ? body : plainProblem(response));
  }
}

/** Whatever was thrown, as something that a person can be shown. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new ApiError(
    { title: "This page failed", status: -1, code: "page_failed", detail, hint: "Reload the page." },
    { cause: error },
  );
}

function isProblem(body: unknown): body is Problem {
  if (typeof body !== "object" || body === null) return false;
  const fields = body as Record<string, unknown>;
  return (
    ["title", "code", "detail"].every((name) => typeof fields[name] === "string") && Number.isInteger(fields.status)
  );
}

function plainProblem(response: Response): Problem {
  return {
    title: response.statusText || "Unexpected answer",
    status: response.status,
    code: "http_error",
    detail: `The platform, or something in front of it, answered with status ${response.status}.`,
    request_id: response.headers.get("x-request-id"),
  };
}
