import { expectAccessible } from "@test/axe";
import { makeEvent, onePage } from "@test/make";
import { answers } from "@test/platform";
import { renderAt } from "@test/render";
import { signedIn } from "@test/signed-in";
import { screen, waitFor } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { eventStream } from "@/api/stream";
import type { Environment } from "./queries";

const LIST = "/api/v1/projects/{project}/environments";
const ONE = `${LIST}/{environment}` as const;
const EVENTS = "/api/v1/projects/{project}/events";

function makeEnvironment(over: Partial<Environment> = {}): Environment {
  return {
    id: "env_1",
    project: "vision",
    name: "boosting",
    python: "3.11",
    requirements: ["xgboost-cpu==3.2.0"],
    phase: "ready",
    reason: "Resolved",
    message: "",
    digest: `sha256:${"ab".repeat(32)}`,
    lock: "numpy==2.0.0\nxgboost-cpu==3.2.0\n",
    created_by: "ada",
    created_at: "2026-12-01T09:00:00Z",
    used_by_jobs: 0,
    ...over,
  };
}

afterEach(() => eventStream.follow(null));

describe("environments", () => {
  it("say in the list why one failed", async () => {
    signedIn("editor");
    const message = "No version of no-such-thing is on the index.";
    answers("get", LIST, onePage([makeEnvironment({ name: null, phase: "failed", message })]));
    const { container } = renderAt("/p/vision/environments");
    expect((await screen.findByRole("link", { name: "xgboost-cpu==3.2.0" })).getAttribute("href")).toBe(
      "/p/vision/environments/env_1",
    );
    expect(screen.getByText(message)).toBeDefined();
    await expectAccessible(container);
  });

  it("show what they were resolved to, and why they are kept", async () => {
    signedIn("editor");
    answers("get", ONE, makeEnvironment({ used_by_jobs: 2 }));
    answers("get", EVENTS, ({ query }) => onePage([makeEvent({ message: `About ${query.get("resource_id")}.` })]));
    const { container } = renderAt("/p/vision/environments/boosting");
    expect(await screen.findByText("2 pinned packages")).toBeDefined();
    expect(screen.getByText(/2 jobs refer to it/)).toBeDefined();
    // The page may be visited by name; its events are found by id.
    await waitFor(() => expect(screen.getByText("About env_1.")).toBeDefined());
    await expectAccessible(container);
  });

  it("give a viewer nothing to delete", async () => {
    signedIn("viewer");
    answers("get", ONE, makeEnvironment());
    answers("get", EVENTS, onePage([]));
    renderAt("/p/vision/environments/env_1");
    expect(await screen.findByText("2 pinned packages")).toBeDefined();
    expect(screen.queryByRole("button", { name: "Delete" })).toBeNull();
  });
});
