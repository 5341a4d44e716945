import type { components } from "@openapi";
import { expectAccessible } from "@test/axe";
import { makeEvent, makeJob, onePage } from "@test/make";
import { answers, refuses } from "@test/platform";
import { renderAt } from "@test/render";
import { signedIn } from "@test/signed-in";
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it } from "vitest";
import { eventStream } from "@/api/stream";

type Cluster = components["schemas"]["ClusterRead"];
const AT = "2026-12-01T09:00:00Z";
const LIST = "/api/v1/projects/{project}/clusters";
const ONE = `${LIST}/{cluster}` as const;

function makeCluster(over: Partial<Cluster> = {}): Cluster {
  return {
    id: "clu_1",
    project: "vision",
    name: "shared",
    phase: "ready",
    reason: "Ready",
    message: "All nodes are ready.",
    nodes_ready: 3,
    nodes_wanted: 3,
    resources: {
      head: { cpu: 1, memory: "2Gi", pool: null },
      groups: [{ name: "train", pool: "gpu", replicas: "2", cpu: 4, memory: "16Gi", gpu: 1, labels: {} }],
    },
    created_by: "ada",
    created_at: AT,
    phase_since: AT,
    etag: '"1"',
    url: "",
    running_jobs: 2,
    ...over,
  };
}

function makeNode(job: string, node: string): components["schemas"]["NodeUse"] {
  return {
    node,
    project: "vision",
    job: { id: job, name: job },
    attempt: 1,
    at: AT,
    cpu_cores: 1.5,
    memory_bytes: 2 ** 30,
    memory_limit_bytes: 2 ** 31,
  };
}

function answerPage(cluster: Cluster) {
  answers("get", ONE, cluster);
  answers(
    "get",
    `${ONE}/events`,
    onePage([makeEvent({ resource: "cluster", reason: "Requested", message: "Requested by ada." })]),
  );
  answers("get", "/api/v1/projects/{project}/jobs", onePage([makeJob({ name: "digits" })]));
  answers("get", "/api/v1/nodes", {
    nodes: [makeNode("job_1", "worker-a"), makeNode("job_of_another_cluster", "worker-b")],
    truncated: false,
  });
}

afterEach(() => eventStream.follow(null));

describe("the list of clusters", () => {
  it("shows where each stands, and in full why one waits", async () => {
    signedIn("editor");
    answers(
      "get",
      LIST,
      onePage([
        makeCluster(),
        makeCluster({
          id: "clu_2",
          name: "big",
          phase: "queued",
          message: "Waits for 2 GPUs of pool gpu.",
          queue: { pool: "gpu", position: 3 },
        }),
      ]),
    );
    const { container } = renderAt("/p/vision/clusters");
    expect((await screen.findByRole("link", { name: "shared" })).getAttribute("href")).toBe("/p/vision/clusters/clu_1");
    expect(screen.getByText("Waits for 2 GPUs of pool gpu. Number 3 in the queue for gpu.")).toBeDefined();
    await expectAccessible(container);
  });

  it("asks the platform for the phases in the address, and can take filters away", async () => {
    signedIn("editor");
    const asked: string[] = [];
    answers("get", LIST, ({ query }) => {
      asked.push(query.getAll("phase").join(","));
      return onePage([]);
    });
    renderAt("/p/vision/clusters?phase=ready,failed");
    await userEvent.click(await screen.findByRole("button", { name: "Clear filters" }));
    expect(await screen.findByText("No clusters yet")).toBeDefined();
    expect([asked[0], asked.at(-1)]).toEqual(["ready,failed", ""]);
  });

  it("gives a viewer no command that would fail", async () => {
    signedIn("viewer");
    answers("get", LIST, onePage([]));
    renderAt("/p/vision/clusters");
    expect(await screen.findByText("An editor of the project can make one.")).toBeDefined();
    expect(screen.queryByText(/mlp cluster create/)).toBeNull();
  });
});

describe("the page of a cluster", () => {
  it("is stopped after saying what that takes away", async () => {
    signedIn("editor");
    answerPage(makeCluster());
    answers("post", `${ONE}:stop`, () => makeCluster({ phase: "stopping" }));
    answers("get", LIST, onePage([]));
    renderAt("/p/vision/clusters/clu_1");
    await userEvent.click(await screen.findByRole("button", { name: "Stop" }));
    const dialog = screen.getByRole("dialog", { name: "Stop shared?" });
    expect(within(dialog).getByText(/2 jobs/)).toBeDefined();
    answers("get", ONE, makeCluster({ phase: "stopping" }));
    await userEvent.click(within(dialog).getByRole("button", { name: "Stop cluster" }));
    await waitFor(() => expect(screen.queryByRole("button", { name: "Stop" })).toBeNull());
  });

  it("shows what it is made of, its jobs and its history", async () => {
    signedIn("editor");
    answerPage(makeCluster());
    const { container } = renderAt("/p/vision/clusters/clu_1");
    const groups = await screen.findByRole("table", { name: "Node groups" });
    expect(within(groups).getByText("train")).toBeDefined();
    expect(await screen.findByRole("link", { name: "digits" })).toBeDefined();
    const nodes = await screen.findByRole("table", { name: "Nodes at work" });
    expect(within(nodes).getByText("worker-a")).toBeDefined();
    expect(within(nodes).queryByText("worker-b")).toBeNull();
    expect(await screen.findByText("Requested by ada.")).toBeDefined();
    await expectAccessible(container);
  });

  it("has no button for a viewer, who may look at the dashboard too", async () => {
    signedIn("viewer");
    answerPage(makeCluster());
    renderAt("/p/vision/clusters/clu_1");
    await screen.findByRole("table", { name: "Node groups" });
    expect(screen.queryByRole("button", { name: "Stop" })).toBeNull();
    const dashboard = screen.getByRole("link", { name: "Ray dashboard" });
    expect(dashboard.getAttribute("href")).toBe("/ray/vision/clu_1/");
  });

  it("says the same for another tenant's as for none", async () => {
    signedIn("editor");
    refuses("get", ONE, 404, "not_found", "There is no cluster 'clu_9' here.");
    renderAt("/p/vision/clusters/clu_9");
    expect(await screen.findByText("There is nothing at this address")).toBeDefined();
    expect(screen.getByRole("heading", { level: 1, name: "clu_9" })).toBeDefined();
  });
});
