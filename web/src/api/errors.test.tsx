import { makeProblem } from "@test/make";
import { answers, isAway, refuses } from "@test/platform";
import { describe, expect, it } from "vitest";
import { api } from "./client";
import { ApiError } from "./errors";
import { safeNext } from "./session";
import { sessionState } from "./session-state";

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => error as ApiError,
  );

describe("requests", () => {
  it("throws the platform's problem with its hint and request id", async () => {
    refuses("get", "/api/v1/me", 503, "unavailable", "The database does not answer right now.");
    const error = await failure(api.GET("/api/v1/me"));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 503, code: "unavailable", request_id: "req-1", isTransient: true });
  });

  it("tells that nothing answers from that something refuses", async () => {
    isAway("get", "/api/v1/me");
    const error = await failure(api.GET("/api/v1/me"));
    expect(error).toMatchObject({ isOffline: true, isTransient: true });
  });

  it("gives each post a key of its own, so that a repeated one does nothing twice", async () => {
    const keys: (string | null)[] = [];
    answers("post", "/api/v1/tokens", ({ request }) => {
      keys.push(request.headers.get("Idempotency-Key"));
      return {
        id: "tok_1",
        name: "a",
        prefix: "mlp_",
        project: null,
        created_at: "",
        expires_at: "",
        last_used_at: null,
        token: "mlp_x",
        is_sign_in: false,
      };
    });
    await api.POST("/api/v1/tokens", { body: { name: "a" } });
    await api.POST("/api/v1/tokens", { body: { name: "a" } });
    expect(new Set(keys).size).toBe(2);
    expect(keys.every((key) => /^[0-9a-f-]{36}$/.test(key ?? ""))).toBe(true);
  });

  it("keeps the page of somebody whose session ended", async () => {
    sessionState.set("active");
    refuses("get", "/api/v1/me", 401, "not_signed_in");
    await failure(api.GET("/api/v1/me"));
    expect(sessionState.get()).toBe("expired");
  });

  it("finds the sentence of a field", () => {
    const error = new ApiError(makeProblem({ errors: [{ field: "resources.groups.0.gpu", message: "is too many" }] }));
    expect(error.fieldMessage("resources.groups.0.gpu")).toBe("is too many");
    expect(error.fieldMessage("name")).toBeUndefined();
  });
});

describe("the page after signing in", () => {
  it.each(["/p/vision?q=a", "/mlflow/vision/"])("is one of this platform: %s", (next) =>
    expect(safeNext(next)).toBe(next),
  );
  it.each([
    "//evil.example",
    "https://evil.example",
    "/\\evil.example",
    "javascript:alert(1)",
    "/sign-in?next=/sign-in",
    undefined,
  ])("is the start for %s", (next) => expect(safeNext(next)).toBe("/"));
});
