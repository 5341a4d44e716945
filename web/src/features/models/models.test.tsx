import { expectAccessible } from "@test/axe";
import { onePage } from "@test/make";
import { answers, refuses } from "@test/platform";
import { renderAt } from "@test/render";
import { signedIn } from "@test/signed-in";
import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it } from "vitest";
import { eventStream } from "@/api/stream";
import type { Model, Version } from "./queries";

const AT = "2026-12-01T09:00:00Z";
const LIST = "/api/v1/projects/{project}/models";
const ONE = `${LIST}/{model}` as const;
const PACKAGE = `sha256:${"4f".repeat(32)}`;

const makeModel = (over: Partial<Model> = {}): Model => ({
  name: "digits",
  description: "",
  created_at: AT,
  updated_at: AT,
  latest_version: "2",
  aliases: { champion: "1" },
  tags: {},
  url: "/mlflow/vision/#/models/digits",
  ...over,
});

const makeVersion = (over: Partial<Version> = {}): Version => ({
  name: "digits",
  version: "1",
  description: "",
  status: "ready",
  aliases: [],
  created_at: AT,
  run: { id: "run_1", name: "fast-fox", url: "/mlflow/vision/#/runs/run_1" },
  job: { id: "job_1", name: "train-digits" },
  attempt_id: "att_1",
  package: PACKAGE,
  environment_digest: null,
  metrics: { accuracy: 0.9 },
  parameters: { depth: "6" },
  tags: {},
  url: "/mlflow/vision/#/models/digits/versions/1",
  ...over,
});

function answerModel(versions: Version[]) {
  answers("get", ONE, makeModel());
  answers("get", `${ONE}/versions`, onePage(versions));
}

afterEach(() => eventStream.follow(null));

describe("the models of a project", () => {
  it("are listed with their aliases", async () => {
    signedIn("viewer");
    answers("get", LIST, onePage([makeModel()]));
    const { container } = renderAt("/p/vision/models");
    expect((await screen.findByRole("link", { name: "digits" })).getAttribute("href")).toBe("/p/vision/models/digits");
    expect(screen.getByText("champion → 1")).toBeDefined();
    await expectAccessible(container);
  });

  it("keep the page when the registry is away, and say so", async () => {
    signedIn("viewer");
    refuses("get", LIST, 503, "unavailable", "MLflow does not answer right now.");
    renderAt("/p/vision/models");
    expect(await screen.findByText("MLflow does not answer right now.")).toBeDefined();
    expect(screen.getByRole("heading", { level: 1, name: "Models" })).toBeDefined();
  });
});

describe("the page of a model", () => {
  it("leads from a version to its code, job and run", async () => {
    signedIn("viewer");
    answerModel([makeVersion()]);
    const { container } = renderAt("/p/vision/models/digits");
    const lineage = within(await screen.findByRole("list", { name: "Lineage" }));
    expect(lineage.getByRole("link", { name: "4f4f4f4f4f4f" }).getAttribute("href")).toBe(
      `/p/vision/packages/${encodeURIComponent(PACKAGE)}`,
    );
    expect(lineage.getByRole("link", { name: "train-digits" }).getAttribute("href")).toBe("/p/vision/jobs/job_1");
    expect(lineage.getByRole("link", { name: "fast-fox" }).getAttribute("href")).toBe("/mlflow/vision/#/runs/run_1");
    await expectAccessible(container);
  });

  it("compares one metric over the versions; the address says which version and metric", async () => {
    signedIn("viewer");
    answerModel([
      makeVersion({ version: "2", metrics: { accuracy: 0.95, loss: "NaN" as unknown as number } }),
      makeVersion(),
    ]);
    const { history } = renderAt("/p/vision/models/digits");
    const table = within(await screen.findByRole("table", { name: "Versions" }));
    expect(table.getByText("+0.05")).toBeDefined();
    await userEvent.selectOptions(screen.getByRole("combobox", { name: "Metric to compare" }), "loss");
    expect(await table.findByText("NaN")).toBeDefined();
    await userEvent.click(table.getByRole("link", { name: "1" }));
    expect(await screen.findByRole("region", { name: "Version 1" })).toBeDefined();
    expect(history.location.search).toBe("?version=1&metric=loss");
  });

  it("says so where a version was not made by a job of here", async () => {
    signedIn("viewer");
    answerModel([makeVersion({ job: null, run: null, package: null, attempt_id: null })]);
    renderAt("/p/vision/models/digits");
    expect(await screen.findByText("registered by hand")).toBeDefined();
    expect(screen.getByText("not known")).toBeDefined();
  });
});
