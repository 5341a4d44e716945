import type { components } from "@openapi";
import { expectAccessible } from "@test/axe";
import { makeJob, makeProblem, onePage } from "@test/make";
import { answers, platform } from "@test/platform";
import { renderAt } from "@test/render";
import { signedIn } from "@test/signed-in";
import { fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ApiError } from "@/api/errors";
import { eventStream, type Job } from "@/api/stream";
import { notices } from "@/ui/notify";
import { verdictOf } from "./FitPanel";

type DryRun = components["schemas"]["DryRun"];
const JOBS = "*/api/v1/projects/vision/jobs";

function makeDryRun(over: Partial<DryRun> = {}): DryRun {
  return {
    spec: { entrypoint: "python train.py" } as DryRun["spec"],
    command: "python train.py",
    price_per_hour: 2.5,
    fits_now: true,
    placements: [{ group: "head", pool: "cpu", nodes: 1, price_per_hour: 2.5 }],
    message: "It would start at once.",
    ...over,
  };
}

/** Answers dry runs, and keeps what is submitted. */
function takesJobs(
  submit: (body: unknown, key: string | null) => HttpResponse<string> | Job = () => makeJob({ id: "job_new" }),
) {
  const sent: { body: unknown; key: string | null }[] = [];
  answers("get", "/api/v1/pools", onePage([]));
  for (const list of ["packages", "clusters", "environments"]) {
    platform.use(http.get(`*/api/v1/projects/vision/${list}`, () => HttpResponse.json(onePage([]))));
  }
  platform.use(
    http.post(JOBS, async ({ request }) => {
      const body: unknown = await request.json();
      if (new URL(request.url).searchParams.get("dry_run") === "true") return HttpResponse.json(makeDryRun());
      const key = request.headers.get("Idempotency-Key");
      sent.push({ body, key });
      const answer = submit(body, key);
      return answer instanceof HttpResponse ? answer : HttpResponse.json(answer, { status: 201 });
    }),
  );
  return sent;
}

const command = () => screen.findByRole("textbox", { name: "Entrypoint" });

beforeEach(() => {
  sessionStorage.clear();
  notices.set([]);
});
afterEach(() => eventStream.follow(null));

describe("a new job", () => {
  it("says whether it fits and what it costs while it is written", async () => {
    signedIn("editor");
    takesJobs();
    const { container } = renderAt("/p/vision/new-job");
    await userEvent.type(await command(), "python train.py");
    expect(await screen.findByText("Fits now")).toBeTruthy();
    expect(screen.getAllByText("2.5 / h").length).toBe(2);
    await expectAccessible(container);
  });

  it("sends what was written and nothing that was not, and goes to the job", async () => {
    signedIn("editor");
    const sent = takesJobs();
    const { history } = renderAt("/p/vision/new-job");
    await userEvent.type(await command(), "python train.py");
    await userEvent.click(screen.getByRole("button", { name: "Add worker group" }));
    await userEvent.type(screen.getByRole("textbox", { name: "GPUs" }), "1");
    await userEvent.click(screen.getByRole("button", { name: "Submit job" }));
    await waitFor(() => expect(history.location.pathname).toBe("/p/vision/jobs/job_new"));
    expect(sent.map(({ body }) => body)).toEqual([
      { entrypoint: "python train.py", resources: { groups: [{ name: "workers", gpu: 1 }] } },
    ]);
  });

  it("says what is missing when it is submitted, and sends nothing", async () => {
    signedIn("editor");
    const sent = takesJobs();
    renderAt("/p/vision/new-job");
    const field = await command();
    expect(field.getAttribute("aria-invalid")).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Submit job" }));
    await waitFor(() => expect(document.activeElement).toBe(field));
    expect(field.getAttribute("aria-invalid")).toBe("true");
    expect(sent).toEqual([]);
  });

  it("sends the same job under the same key after a lost answer, so that it is made once", async () => {
    signedIn("editor");
    let isFirst = true;
    const sent = takesJobs(() => {
      if (!isFirst) return makeJob({ id: "job_new" });
      isFirst = false;
      return HttpResponse.error() as HttpResponse<string>;
    });
    const { history } = renderAt("/p/vision/new-job");
    await userEvent.type(await command(), "python train.py");
    await userEvent.click(screen.getByRole("button", { name: "Submit job" }));
    expect((await screen.findAllByText(/Could not submit the job/)).length).toBeGreaterThan(0);
    await userEvent.click(screen.getByRole("button", { name: "Submit job" }));
    await waitFor(() => expect(history.location.pathname).toBe("/p/vision/jobs/job_new"));
    expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
  });

  it("keeps what was written through a reload, and asks before it is left", async () => {
    signedIn("editor");
    takesJobs();
    const first = renderAt("/p/vision/new-job");
    await userEvent.type(await command(), "python train.py");
    first.unmount();
    const { history } = renderAt("/p/vision/new-job");
    expect((await command()).textContent).toBe("python train.py");
    expect(screen.getByText(/what you wrote before in this tab/)).toBeTruthy();
    await userEvent.click(screen.getByRole("link", { name: "Projects" }));
    await userEvent.click(await screen.findByRole("button", { name: "Keep writing" }));
    expect(history.location.pathname).toBe("/p/vision/new-job");
  });

  it("stays as it is when the session has ended", async () => {
    signedIn("editor");
    takesJobs(() => HttpResponse.json(makeProblem({ status: 401, code: "not_signed_in" }), { status: 401 }) as never);
    renderAt("/p/vision/new-job");
    await userEvent.type(await command(), "python train.py");
    await userEvent.click(screen.getByRole("button", { name: "Submit job" }));
    expect(await screen.findByRole("dialog", { name: "Your session has ended" })).toBeTruthy();
    expect((await command()).textContent).toBe("python train.py");
    expect(notices.get()).toEqual([]);
  });

  it("is no page for a viewer", async () => {
    signedIn("viewer");
    renderAt("/p/vision/new-job");
    expect(await screen.findByText("You may not see this")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Submit job" })).toBeNull();
  });

  it("begins as a clone, and says what was changed", async () => {
    signedIn("editor");
    takesJobs();
    const spec = { entrypoint: "python train.py --lr 0.1", name: "digits", grace: "30s" } as Job["spec"];
    answers("get", "/api/v1/projects/{project}/jobs/{job}", makeJob({ id: "job_1", name: "digits", spec }));
    renderAt("/p/vision/new-job?from=job_1");
    const field = await command();
    expect(field.textContent).toBe("python train.py --lr 0.1");
    expect(screen.getByText("none yet")).toBeTruthy();
    fireEvent.change(field, { target: { value: "python train.py --lr 0.2" } });
    expect(await screen.findByText("python train.py --lr 0.1", { selector: "del" })).toBeTruthy();
    expect(screen.getByText("python train.py --lr 0.2", { selector: "ins" })).toBeTruthy();
  });
});

describe("the verdict", () => {
  const refusal = (code: string, status = 422) =>
    new ApiError(makeProblem({ code, status, detail: "8 GPU where 4 are.", hint: "Ask for 4." }));

  it("tells never from not now", () => {
    expect(verdictOf([], undefined, refusal("can_never_fit"))).toMatchObject({
      title: "Can never fit",
      text: "8 GPU where 4 are. Ask for 4.",
    });
    expect(verdictOf([], makeDryRun({ fits_now: false, message: "Waits." }), null)).toMatchObject({
      tone: "pending",
      text: "Waits.",
    });
    expect(verdictOf([], makeDryRun(), null)).toMatchObject({ title: "Fits now" });
    expect(verdictOf([], undefined, ApiError.offline(null))?.title).toMatch(/Not known/);
    expect(verdictOf([{ field: "entrypoint", message: "is required" }], makeDryRun(), null)).toMatchObject({
      title: "Not ready to submit",
    });
    expect(verdictOf([], undefined, null)).toBeNull();
  });
});
