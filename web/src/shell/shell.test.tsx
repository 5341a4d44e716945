import { expectAccessible } from "@test/axe";
import { makeEvent, makeJob, makeMe, makeProject, onePage } from "@test/make";
import { answers, platform, refuses } from "@test/platform";
import { renderAt } from "@test/render";
import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sessionState } from "@/api/session-state";
import { eventStream } from "@/api/stream";
import { JOB_PHASES } from "@/ui/status";

const ends: (() => void)[] = [];

function show(address: string) {
  const view = renderAt(address);
  ends.push(view.stop);
  return view;
}

const counts = (queued: number) => ({
  phases: Object.fromEntries(JOB_PHASES.map((phase) => [phase, phase === "queued" ? queued : 0])),
  most: 10_000,
});

beforeEach(() => {
  sessionState.set("unknown");
  platform.use(http.get("*/api/v1/stream", () => new HttpResponse(new ReadableStream())));
  answers("get", "/api/v1/me", makeMe({ projects: [makeProject(), makeProject({ id: "proj_2", name: "audio" })] }));
  answers("get", "/api/v1/projects/{project}/events", onePage([makeEvent({ reason: "JobQueued" })]));
  answers("get", "/api/v1/projects/{project}/jobs", onePage([makeJob()]));
  answers("get", "/api/v1/projects/{project}/home", {
    running: [],
    waiting: [makeJob({ phase: "queued", name: "big", message: "Waits for 2 GPUs of pool gpu." })],
    failed: [],
    since: "2026-12-01T00:00:00Z",
    counts: counts(1),
    ended: {},
    failures: {},
  });
});
afterEach(() => {
  eventStream.follow(null);
  for (const end of ends.splice(0)) end();
});

describe("the shell", () => {
  it("shows the home of a project with the reason why jobs wait", async () => {
    const { container } = show("/p/vision");
    await screen.findByText("Waits for 2 GPUs of pool gpu.");
    expect(screen.getAllByRole("heading", { level: 1 }).map(({ textContent }) => textContent)).toEqual(["vision"]);
    await expectAccessible(container);
  });

  it("sends somebody without a session to the sign-in, and back to the page that was asked for", async () => {
    refuses("get", "/api/v1/me", 401, "not_signed_in");
    const { history } = show("/p/vision?q=a");
    await waitFor(() => expect(history.location.pathname).toBe("/sign-in"));
    expect(new URLSearchParams(history.location.search).get("next")).toBe("/p/vision?q=a");
  });

  it("shows what an administrator needs to administrators only", async () => {
    show("/p/vision");
    const pages = await screen.findByRole("navigation", { name: "Pages" });
    await within(pages).findByRole("link", { name: "Home" });
    expect(within(pages).queryByRole("link", { name: "Health" })).toBeNull();
  });

  it("says which part of an address it ignores", async () => {
    answers("get", "/api/v1/projects", onePage([makeProject()]));
    show("/projects?q=vision&nonsense=1");
    await screen.findByText(/not understood and ignored: nonsense=1/);
  });
});
