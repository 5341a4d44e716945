import { expectAccessible } from "@test/axe";
import { makeJob, onePage } from "@test/make";
import { answers, refuses } from "@test/platform";
import { renderAt } from "@test/render";
import { signedIn } from "@test/signed-in";
import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it } from "vitest";
import { eventStream } from "@/api/stream";

const JOB = "/api/v1/projects/{project}/jobs/{job}";

function answerTwo() {
  answers("get", JOB, ({ params }) => {
    const lr = params.job === "job_a" ? "0.1" : "0.2";
    const spec = { entrypoint: `python train.py --lr ${lr} --epochs 5` };
    return makeJob({ id: String(params.job), name: `digits ${lr}`, spec: spec as never });
  });
  answers("get", `${JOB}/metrics`, ({ params }) => {
    const last = params.job === "job_a" ? 0.91 : 0.97;
    return {
      series: [{ key: "accuracy", attempt: 1, points: [], total: 9, last, min: 0, max: last }],
      keys: ["accuracy"],
    };
  });
}

afterEach(() => eventStream.follow(null));

describe("the comparison", () => {
  it("shows what differs, with the best marked, and all of it when asked", async () => {
    signedIn("viewer");
    answerTwo();
    const { history, container } = renderAt("/p/vision/compare?jobs=job_a,job_b");
    const table = await screen.findByRole("table");
    const rate = await within(table).findByRole("row", { name: /^--lr/ });
    expect(
      within(rate)
        .getAllByRole("cell")
        .map((cell) => cell.textContent),
    ).toEqual(["0.1", "0.2"]);
    expect(within(table).queryByRole("row", { name: /^--epochs/ })).toBeNull();
    expect((await within(table).findByRole("row", { name: /^accuracy/ })).textContent).toContain("0.97best");
    await userEvent.click(screen.getByRole("radio", { name: "Everything" }));
    expect(await within(table).findByRole("row", { name: /^--epochs/ })).toBeTruthy();
    expect(history.location.search).toContain("all=1");
    await expectAccessible(container);
  });

  it("asks for jobs when there are too few, and finds them by the platform's search", async () => {
    signedIn("viewer");
    answers("get", "/api/v1/projects/{project}/jobs", onePage([makeJob({ id: "job_c", name: "candidate" })]));
    answerTwo();
    const { history } = renderAt("/p/vision/compare");
    expect(await screen.findByText("Choose jobs to compare")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Add a job" }));
    await userEvent.click(await screen.findByRole("button", { name: /candidate/ }));
    expect(history.location.search).toBe("?jobs=job_c");
    expect(await screen.findByText("Choose one more job")).toBeTruthy();
  });

  it("goes on without what cannot be read, and says so", async () => {
    signedIn("viewer");
    answerTwo();
    refuses("get", `${JOB}/metrics`, 503, "unavailable", "MLflow is away.");
    renderAt("/p/vision/compare?jobs=job_a,job_b");
    expect(await screen.findByText(/Without the metrics of 2 of 2 jobs: MLflow is away\./)).toBeTruthy();
    expect(await screen.findByRole("row", { name: /^--lr/ })).toBeTruthy();
  });

  it("says which job is not there", async () => {
    signedIn("viewer");
    answerTwo();
    refuses("get", JOB, 404, "not_found", "There is no such job.");
    renderAt("/p/vision/compare?jobs=job_a,job_b");
    expect(await screen.findByText("There is no such job.")).toBeTruthy();
  });
});
