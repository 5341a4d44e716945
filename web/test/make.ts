/** Sound answers of the platform, to be changed where a test cares. */
import type { components } from "@openapi";

type Schemas = components["schemas"];
const AT = "2026-12-01T09:00:00Z";

export function makeProblem(over: Partial<Schemas["Problem"]> = {}): Schemas["Problem"] {
  return { title: "Refused", status: 422, code: "invalid", detail: "No.", request_id: "req-1", ...over };
}

export function makeProject(over: Partial<Schemas["ProjectRead"]> = {}): Schemas["ProjectRead"] {
  return {
    id: "proj_1",
    name: "vision",
    description: "",
    team: "default",
    limits: {},
    role: "editor",
    created_at: AT,
    etag: '"1"',
    mlflow_url: "/mlflow/vision/",
    live_jobs: 0,
    ...over,
  };
}

export function makeMe(over: Partial<Schemas["Me"]> = {}): Schemas["Me"] {
  return {
    kind: "user",
    id: "user_1",
    username: "ada",
    display_name: "Ada",
    is_admin: false,
    projects: [makeProject()],
    token: null,
    server_version: "0.1.0",
    ...over,
  };
}

export function makeJob(over: Partial<Schemas["JobRead"]> = {}): Schemas["JobRead"] {
  return {
    id: "job_1",
    project: "vision",
    name: "digits",
    kind: "train",
    phase: "running",
    reason: "Running",
    message: "The job runs.",
    attempt: 1,
    stop_requested: false,
    failure: null,
    exit_code: null,
    signal: null,
    package: null,
    environment_digest: null,
    run: null,
    model: null,
    has_result: false,
    spec: { entrypoint: "python train.py" } as Schemas["JobRead"]["spec"],
    created_by: "ada",
    created_at: AT,
    phase_since: AT,
    admitted_at: null,
    started_at: AT,
    ended_at: null,
    duration_seconds: null,
    etag: '"1"',
    url: "/p/vision/jobs/job_1",
    ...over,
  };
}

export function makeEvent(over: Partial<Schemas["EventRead"]> = {}): Schemas["EventRead"] {
  return {
    id: "evt_1",
    project: "vision",
    resource: "job",
    resource_id: "job_1",
    resource_name: "digits",
    attempt: 1,
    reason: "Running",
    message: "The job runs.",
    actor: "operator",
    at: AT,
    data: {},
    ...over,
  };
}

/** One page, and the only one. */
export function onePage<T>(items: T[]): { items: T[]; next: null; total: null } {
  return { items, next: null, total: null };
}
