import { makeJob, makeProblem } from "@test/make";
import { describe, expect, it } from "vitest";
import { ApiError } from "@/api/errors";
import { canChange, changeAll } from "./bulk";

const jobs = Array.from({ length: 11 }, (_, index) => makeJob({ id: `job_${index}` }));

describe("one change to many jobs", () => {
  it.each([
    ["queued", true, false],
    ["running", true, false],
    ["sealing", true, false],
    ["succeeded", false, false],
    ["failed", false, true],
    ["cancelled", false, true],
  ] as const)("%s: cancel %s, retry %s", (phase, cancel, retry) => {
    expect(canChange("cancel", makeJob({ phase }))).toBe(cancel);
    expect(canChange("retry", makeJob({ phase }))).toBe(retry);
  });

  it("does not cancel what is ending already", () => {
    expect(canChange("cancel", makeJob({ stop_requested: true }))).toBe(false);
  });

  it("goes on after a refusal, and says which was refused and why", async () => {
    const refusal = new ApiError(makeProblem({ detail: "It has ended." }));
    const told: string[] = [];
    const outcomes = await changeAll(
      jobs,
      async ({ id }) => {
        if (id === "job_3") throw refusal;
      },
      ({ job }) => told.push(job.id),
    );
    expect(outcomes.filter(({ error }) => error !== null)).toEqual([{ job: jobs[3], error: refusal }]);
    expect(told.sort()).toEqual(jobs.map(({ id }) => id).sort());
  });

  it("has at most four requests under way", async () => {
    let now = 0;
    let most = 0;
    await changeAll(jobs, async () => {
      now += 1;
      most = Math.max(most, now);
      await Promise.resolve();
      now -= 1;
    });
    expect(most).toBe(4);
  });
});
