import { QueryClient } from "@tanstack/react-query";
import { makeJob, onePage } from "@test/make";
import { describe, expect, it } from "vitest";
import { applyJobs } from "./live";

const JOBS = "/api/v1/projects/{project}/jobs";

describe("a job that changed", () => {
  const queries = new QueryClient();
  const [one, two] = [makeJob({ id: "job_1" }), makeJob({ id: "job_2" })];
  const changed = makeJob({ id: "job_1", phase: "succeeded" });
  const apply = () => applyJobs(queries, new Map([["job_1", changed]]));

  it("appears on its page, in lists and in lists of pages, where it stood", () => {
    queries.setQueryData(["get", `${JOBS}/{job}`, { params: { path: { job: "job_1" } } }], one);
    queries.setQueryData(["get", JOBS, { a: 1 }], onePage([two, one]));
    queries.setQueryData(["get", JOBS, { b: 1 }], { pages: [onePage([two]), onePage([one])], pageParams: [] });
    apply();
    expect(queries.getQueryData(["get", `${JOBS}/{job}`, { params: { path: { job: "job_1" } } }])).toEqual(changed);
    expect(queries.getQueryData(["get", JOBS, { a: 1 }])).toMatchObject({ items: [two, changed] });
    expect(queries.getQueryData(["get", JOBS, { b: 1 }])).toMatchObject({
      pages: [{ items: [two] }, { items: [changed] }],
    });
  });

  it("leaves answers about others exactly as they are", () => {
    const others = onePage([two]);
    queries.setQueryData(["get", JOBS, { c: 1 }], others);
    apply();
    expect(queries.getQueryData(["get", JOBS, { c: 1 }])).toBe(others);
  });
});
