import { expectAccessible } from "@test/axe";
import { makeEvent, makeJob, makeMe, makeProject, onePage } from "@test/make";
import { answers, platform, refuses } from "@test/platform";
import { renderAt } from "@test/render";
import { configure, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { beforeEach, describe, expect, it } from "vitest";
import { announcement } from "@/ui/announce";
import type { Job } from "./queries";

/** Deadlines, not pauses: the tabs of the page are loaded when they are visited. */
configure({ asyncUtilTimeout: 30_000 });

const JOB = "/api/v1/projects/{project}/jobs/{job}";
const spec = {
  entrypoint: "python train.py",
  resources: { head: { cpu: 1, memory: "2Gi" }, groups: [] },
  environment: {},
  retries: { max: 0 },
  run: {},
} as unknown as Job["spec"];

function show(job: Job, role: "viewer" | "editor" = "editor", tab = "") {
  answers("get", "/api/v1/me", makeMe({ projects: [makeProject({ role })] }));
  answers("get", JOB, job);
  answers("get", `${JOB}/attempts`, onePage([]));
  return renderAt(`/p/vision/jobs/${job.id}${tab}`);
}

beforeEach(() => {
  // The stream of the tab: open, and silent.
  platform.use(
    http.get(
      "*/api/v1/stream",
      () => new HttpResponse(new ReadableStream(), { headers: { "Content-Type": "text/event-stream" } }),
    ),
  );
});

describe("the page of a job", { timeout: 60_000 }, () => {
  it("says in words why it waits, behind whom, and who can change it", async () => {
    answers("get", `${JOB}/why`, {
      phase: "queued",
      reason: "NoRoom",
      message: "Waits for 4 CPU.",
      since: "2026-12-01T09:00:00Z",
      position: 2,
      queue: { pool: "cpu", position: 2 },
      ahead: [{ kind: "job", id: "job_9", name: "first", project: "vision" }],
      blockers: [{ job_id: null, name: "another project", project: null, holds: "4 CPU of 'cpu'" }],
      would_start_now: ["1 CPU less"],
    });
    const { container } = show(
      makeJob({ phase: "queued", reason: "NoRoom", message: "Waits for 4 CPU.", attempt: 0, started_at: null, spec }),
    );
    const card = await screen.findByRole("region", { name: "No room" });
    expect(await within(card).findByText(/^2nd/)).toBeTruthy();
    expect(within(card).getByRole("link", { name: "first" }).getAttribute("href")).toBe("/p/vision/jobs/job_9");
    expect(
      within(card)
        .getByText(/another project/)
        .closest("a"),
    ).toBeNull();
    expect(within(card).getByText("1 CPU less")).toBeTruthy();
    expect(within(card).getByText(/An administrator can add machines/)).toBeTruthy();
    await expectAccessible(container);
  });

  it("shows a failure with its evidence and its last lines as text", async () => {
    const failure = {
      class: "user_error" as const,
      message: "The command ended with exit code 3.",
      exit_code: 3,
      last_lines: ["<b>not bold</b>", "\u001b[31mred\u001b[0m"],
    };
    show(makeJob({ phase: "failed", failure, ended_at: "2026-12-01T09:05:00Z", spec }));
    const card = await screen.findByRole("region", { name: "The program failed" });
    expect(within(card).getByText("<b>not bold</b>")).toBeTruthy();
    expect(within(card).getByText("red")).toBeTruthy();
    expect(card.querySelector("b")).toBeNull();
    expect(document.title).toMatch(/^▲ digits/);
  });

  it.each([
    ["viewer", "running", []],
    ["viewer", "failed", []],
    ["editor", "running", ["Cancel"]],
    ["editor", "failed", ["Retry"]],
    ["editor", "succeeded", []],
  ] as const)("offers a %s of a job that is %s only what would work", async (role, phase, buttons) => {
    show(makeJob({ phase, spec, ended_at: phase === "running" ? null : "2026-12-01T09:05:00Z" }), role);
    await screen.findByRole("heading", { level: 2, name: "Timeline" });
    await waitFor(() => {
      const names = screen.queryAllByRole("button", { name: /^(Cancel|Retry)$/ }).map(({ textContent }) => textContent);
      expect(names).toEqual([...buttons]);
    });
  });

  it("asks before it cancels, and says so when it does not work", async () => {
    refuses("post", `${JOB}:cancel`, 409, "version_conflict", "It changed meanwhile.");
    show(makeJob({ phase: "running", spec }));
    await userEvent.click(await screen.findByRole("button", { name: "Cancel" }));
    const dialog = await screen.findByRole("dialog");
    await userEvent.click(within(dialog).getByRole("button", { name: "Cancel job" }));
    expect((await screen.findAllByText(/It changed meanwhile/)).length).toBeGreaterThan(0);
    expect(screen.getByRole("dialog")).toBeTruthy();
  });

  it("reads out a change of the phase", async () => {
    const { queries } = show(makeJob({ phase: "running", spec }));
    await screen.findByRole("heading", { level: 2, name: "Timeline" });
    const ended = makeJob({ phase: "succeeded", message: "It is done.", spec, ended_at: "2026-12-01T09:05:00Z" });
    for (const query of queries.getQueryCache().findAll({ queryKey: ["get", JOB] }))
      queries.setQueryData(query.queryKey, ended);
    await waitFor(() => expect(announcement.get().text).toBe("digits: succeeded. It is done."));
  });

  it("is the same nothing for a job of others and one that does not exist", async () => {
    answers("get", "/api/v1/me", makeMe());
    refuses("get", JOB, 404, "not_found", "There is no such job.");
    renderAt("/p/vision/jobs/job_x?tab=logs");
    expect(await screen.findByText("There is nothing at this address")).toBeTruthy();
  });

  it("shows events with who did it and why", async () => {
    answers(
      "get",
      `${JOB}/events`,
      onePage([makeEvent({ reason: "CancelRequested", message: "Cancelled by ada.", actor: "ada" })]),
    );
    show(makeJob({ spec }), "editor", "?tab=events");
    expect(await screen.findByText("Cancel requested")).toBeTruthy();
    expect(screen.getByTitle("By ada")).toBeTruthy();
  });

  it("says which code fills an empty list of metrics", async () => {
    answers("get", `${JOB}/metrics`, { series: [], keys: [] });
    show(makeJob({ spec }), "editor", "?tab=metrics");
    expect(await screen.findByText("No metrics yet")).toBeTruthy();
    expect(screen.getByText(/log_metrics/)).toBeTruthy();
  });
});
