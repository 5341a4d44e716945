import { expectAccessible } from "@test/axe";
import { makeProject, onePage } from "@test/make";
import { answers } from "@test/platform";
import { renderAt } from "@test/render";
import { signedIn } from "@test/signed-in";
import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import type { Pool, Usage } from "./queries";

const POOLS = "/api/v1/pools";

function makePool(over: Partial<Pool> = {}): Pool {
  return {
    id: "pool_1",
    name: "gpu",
    description: "",
    cpu: 32,
    memory: "256Gi",
    gpu: 4,
    accelerator: "nvidia-a100",
    machines: 2,
    spot: false,
    price_per_hour: 12,
    labels: {},
    is_default: true,
    in_use: { cpu: 16, gpu: 6, memory_bytes: 0 },
    created_at: "2026-12-01T09:00:00Z",
    etag: '"1"',
    ...over,
  };
}

const USAGE: Usage = {
  at: "2026-12-01T09:00:00Z",
  pools: [
    {
      pool: "gpu",
      machines: 2,
      capacity: { cpu: 64, gpu: 8, memory_bytes: 512 * 2 ** 30 },
      held: [
        { project: "vision", use: { cpu: 16, gpu: 4, memory_bytes: 2 ** 30 }, jobs: 1, clusters: 0 },
        { project: null, use: { cpu: 8, gpu: 2, memory_bytes: 2 ** 30 }, jobs: 2, clusters: 0 },
      ],
      waiting: [{ project: "vision", use: { cpu: 4, gpu: 4, memory_bytes: 0 }, jobs: 1, clusters: 0 }],
    },
  ],
  projects: [{ project: "vision", limits: { gpu: 8 }, held: { cpu: 16, gpu: 4, memory_bytes: 2 ** 30 } }],
};

function answerUse() {
  answers("get", "/api/v1/usage", USAGE);
  answers("get", "/api/v1/nodes", { nodes: [], truncated: false });
}

describe("the pools", () => {
  it("say how much of each is taken, as bars, sentences and a table", async () => {
    signedIn("viewer");
    answers("get", POOLS, onePage([makePool()]));
    answerUse();
    const { container } = renderAt("/pools");
    const figure = await screen.findByRole("figure", { name: "GPU" });
    expect(within(figure).getByRole("img", { name: "gpu: 6 of 8 in use: vision 4, other projects 2." })).toBeDefined();
    await userEvent.click(within(figure).getByRole("button", { name: "Table" }));
    expect(within(figure).getByRole("cell", { name: "8" })).toBeDefined();
    expect(screen.getByText("Waiting for it: 1 job: 4 GPU, 4 CPU")).toBeDefined();
    expect(screen.getByText("4 of 8")).toBeDefined();
    await expectAccessible(container);
  });

  it("show what is guaranteed to one's projects", async () => {
    signedIn("viewer", { projects: [makeProject({ guarantees: { gpu: 1.5 } })] });
    answers("get", POOLS, onePage([makePool()]));
    answerUse();
    renderAt("/pools");
    expect(await screen.findByText(/vision: 1\.5 of/)).toBeDefined();
  });

  it("give only administrators the command that makes one", async () => {
    signedIn("viewer");
    answers("get", POOLS, onePage([]));
    answerUse();
    renderAt("/pools");
    expect(await screen.findByText("No pools yet")).toBeDefined();
    expect(screen.queryByText(/mlp pool create/)).toBeNull();
  });
});
