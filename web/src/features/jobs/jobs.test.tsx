import { expectAccessible } from "@test/axe";
import { makeJob, makeProblem, onePage } from "@test/make";
import { answers, platform, refuses } from "@test/platform";
import { renderAt } from "@test/render";
import { signedIn } from "@test/signed-in";
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { afterEach, describe, expect, it } from "vitest";
import type { Job } from "@/api/stream";
import { eventStream } from "@/api/stream";
import { forgetView, keepView, readViews } from "./views";

const JOBS = "/api/v1/projects/{project}/jobs";
const COUNT = "/api/v1/projects/{project}/jobs:count";
const NO_COUNTS = {
  queued: 0,
  admitted: 0,
  provisioning: 0,
  running: 0,
  sealing: 0,
  succeeded: 0,
  failed: 0,
  cancelled: 0,
};

function answerJobs(jobs: Job[], asked: URLSearchParams[] = []): URLSearchParams[] {
  answers("get", JOBS, ({ query }) => {
    asked.push(query);
    return { ...onePage(jobs), total: jobs.length };
  });
  answers("get", COUNT, { phases: { ...NO_COUNTS, queued: 3, failed: 1 }, most: 10_000 });
  return asked;
}

const waiting = makeJob({
  id: "job_w",
  name: "waits",
  phase: "queued",
  message: "Waits for 2 GPUs of pool gpu; 1 is free.",
  queue: { pool: "gpu", position: 3 },
});
const failed = makeJob({
  id: "job_f",
  name: "broke",
  phase: "failed",
  failure: { class: "oom", message: "Memory ran out.", last_lines: [] },
});
const running = makeJob({ id: "job_r", name: "runs" });

afterEach(() => eventStream.follow(null));

describe("the list of jobs", () => {
  it("says in full why a job waits, how one failed, and how many there are of each phase", async () => {
    signedIn("editor");
    answerJobs([waiting, failed]);
    const { container } = renderAt("/p/vision/jobs");
    const table = await screen.findByRole("table", { name: "Jobs" });
    expect(within(table).getByText(/Place 3 in the queue of pool gpu\. Waits for 2 GPUs/)).toBeTruthy();
    expect(within(table).getByText("oom")).toBeTruthy();
    expect(await screen.findByRole("button", { name: /queued\s*3/ })).toBeTruthy();
    await expectAccessible(container);
  });

  it("filters on the server, and the address says so", async () => {
    signedIn("editor");
    const asked = answerJobs([running]);
    const { history } = renderAt("/p/vision/jobs");
    await userEvent.click(await screen.findByRole("button", { name: /^failed/ }));
    await userEvent.type(screen.getByRole("searchbox", { name: "Search jobs" }), "digits{Enter}");
    await waitFor(() => expect(history.location.search).toBe("?phase=failed&q=digits"));
    await waitFor(() => {
      const last = asked.findLast((query) => query.has("search"));
      expect([last?.get("search"), last?.getAll("phase")]).toEqual(["digits", ["failed"]]);
    });
  });

  it("tells none yet, with the command that makes one, from filters that hide everything", async () => {
    signedIn("editor");
    answerJobs([]);
    const first = renderAt("/p/vision/jobs");
    expect(await screen.findByText("No jobs yet")).toBeTruthy();
    expect(screen.getByText("mlp run train.py")).toBeTruthy();
    first.unmount();
    renderAt("/p/vision/jobs?phase=failed");
    await userEvent.click(await screen.findByRole("button", { name: "Clear filters" }));
    expect(await screen.findByText("No jobs yet")).toBeTruthy();
  });

  it("shows a failure with its request id, and tries again", async () => {
    signedIn("editor");
    answerJobs([running]);
    refuses("get", JOBS, 500, "internal", "The database is away.");
    renderAt("/p/vision/jobs");
    const retry = await screen.findByRole("button", { name: "Try again" });
    expect(screen.getByText("The database is away.")).toBeTruthy();
    expect(screen.getByText("req-1")).toBeTruthy();
    answerJobs([running]);
    await userEvent.click(retry);
    expect(await screen.findByRole("link", { name: "runs" })).toBeTruthy();
  });

  it("holds new jobs back until they are asked for", async () => {
    const { tellJob } = signedIn("editor");
    answerJobs([running]);
    renderAt("/p/vision/jobs");
    await screen.findByRole("link", { name: "runs" });
    await waitFor(() => expect(eventStream.status.get().state).toBe("live"));
    const fresh = makeJob({ id: "job_n", name: "fresh", created_at: "2026-12-01T10:00:00Z" });
    tellJob(fresh);
    const apply = await screen.findByRole("button", { name: "1 new" });
    expect(screen.queryByRole("link", { name: "fresh" })).toBeNull();
    answerJobs([fresh, running]);
    await userEvent.click(apply);
    expect(await screen.findByRole("link", { name: "fresh" })).toBeTruthy();
    await waitFor(() => expect(screen.queryByRole("button", { name: "1 new" })).toBeNull());
  });

  it("shows a viewer no button that would fail", async () => {
    signedIn("viewer");
    answerJobs([running, failed]);
    renderAt("/p/vision/jobs");
    for (const box of await screen.findAllByRole("checkbox", { name: /^Select (runs|broke)/ }))
      await userEvent.click(box);
    const bar = screen.getByRole("region", { name: "Selected jobs" });
    expect(within(bar).queryByRole("button", { name: /Cancel|Retry/ })).toBeNull();
    expect(within(bar).getByRole("link", { name: "Compare" }).getAttribute("href")).toContain("jobs=job_r,job_f");
    expect(screen.queryByRole("link", { name: "New job" })).toBeNull();
  });

  it("cancels many, and lists those that were refused", async () => {
    signedIn("editor");
    answerJobs([running, makeJob({ id: "job_s", name: "stubborn" }), failed]);
    answers("post", `${JOBS}/{job}:cancel`, running);
    const ended = makeProblem({ status: 409, code: "version_conflict", detail: "It has changed." });
    platform.use(http.post("*/jobs/job_s\\:cancel", () => HttpResponse.json(ended, { status: 409 })));
    renderAt("/p/vision/jobs");
    await userEvent.click(await screen.findByRole("checkbox", { name: "Select all shown rows" }));
    await userEvent.click(screen.getByRole("button", { name: "Cancel 2" }));
    const dialog = screen.getByRole("dialog", { name: "Cancel 2 jobs?" });
    expect(within(dialog).getByText(/1 selected job is left alone/)).toBeTruthy();
    await userEvent.click(within(dialog).getByRole("button", { name: "Cancel 2 jobs" }));
    expect(await screen.findByRole("dialog", { name: "Cancel: 1 of 2 refused" })).toBeTruthy();
    expect(screen.getByText(/It has changed\./)).toBeTruthy();
    expect((await screen.findAllByText("1 job asked to end.")).length).toBeGreaterThan(0);
    expect(screen.getByText("1 selected")).toBeTruthy();
  });
});

describe("saved views", () => {
  it("are kept per person and project", () => {
    keepView("ada", "vision", { name: "mine", search: "?by=ada" });
    keepView("ada", "vision", { name: "mine", search: "?by=ada&phase=failed" });
    expect(readViews("ada", "vision")).toEqual([{ name: "mine", search: "?by=ada&phase=failed" }]);
    expect(readViews("ada", "other")).toEqual([]);
    expect(readViews("bob", "vision")).toEqual([]);
    expect(forgetView("ada", "vision", "mine")).toEqual([]);
  });

  it("pass over what is no view", () => {
    localStorage.setItem(
      "mlp.job-views",
      JSON.stringify({ "ada/vision": [{ name: 1 }, { name: "x", search: "javascript:1" }] }),
    );
    expect(readViews("ada", "vision")).toEqual([]);
    localStorage.setItem("mlp.job-views", "nonsense");
    expect(readViews("ada", "vision")).toEqual([]);
  });
});
