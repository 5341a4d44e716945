import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { callApi, launch, submit, Tab, tokenOf, untilPhase, WIDTHS } from "./driver.ts";
import { settled, trainedModel, untilCluster } from "./resources.ts";

let browser: Browser;
const tabs: Tab[] = [];
const open = async (options?: Parameters<typeof Tab.open>[1]) => {
  const tab = await Tab.open(browser, options);
  tabs.push(tab);
  return tab;
};

beforeAll(async () => {
  browser = await launch();
});
afterEach(async () => {
  for (const tab of tabs.splice(0)) await tab.close();
});
afterAll(() => browser.close());

interface Named {
  id: string;
}
const SMALL = { head: { cpu: 0.2, memory: "512Mi" }, groups: [] };

describe("a cluster", () => {
  it("is watched until it is ready, opens Ray's dashboard, and is stopped from its page", async () => {
    const cluster = await callApi<Named>("POST", "/api/v1/projects/vision/clusters", {
      name: "shared",
      resources: SMALL,
    });
    const tab = await open();
    await tab.signIn("ada", "/p/vision/clusters");
    await tab.page.getByRole("link", { name: "shared" }).click();
    await tab.page.getByRole("heading", { level: 1, name: "shared" }).waitFor();
    await tab.page.getByText("ready", { exact: true }).first().waitFor({ timeout: 120_000 });
    await tab.expectAccessible();

    const [dashboard] = await Promise.all([
      tab.context.waitForEvent("page"),
      tab.page.getByRole("link", { name: "Ray dashboard" }).click(),
    ]);
    await dashboard
      .getByText(/Overview/)
      .first()
      .waitFor({ timeout: 60_000 });
    expect(new URL(dashboard.url()).pathname).toMatch(/^\/ray\/vision\//);
    await dashboard.close();

    await tab.page.getByRole("button", { name: "Stop" }).click();
    await tab.page.getByRole("dialog").getByRole("button", { name: "Stop cluster" }).click();
    await tab.page.getByText("stopped", { exact: true }).first().waitFor({ timeout: 120_000 });
    expect(await tab.page.getByRole("button", { name: "Stop" }).count()).toBe(0);
    await untilCluster("vision", cluster.id, ["stopped"]);
  }, 300_000);

  it("says why it waits", async () => {
    const [pool] = (await callApi<{ items: { name: string; cpu: number; machines: number }[] }>("GET", "/api/v1/pools"))
      .items;
    const all = { cpu: (pool?.cpu ?? 1) * 0.9, memory: "512Mi", ...(pool === undefined ? {} : { pool: pool.name }) };
    const first = await callApi<Named>("POST", "/api/v1/projects/vision/clusters", {
      name: "takes-all",
      resources: { head: all, groups: [] },
    });
    const second = await callApi<Named>("POST", "/api/v1/projects/vision/clusters", {
      name: "must-wait",
      resources: { head: all, groups: [] },
    });
    const tab = await open();
    await tab.signIn("vera", `/p/vision/clusters/${second.id}`);
    const why = tab.page.getByRole("region", { name: "Why it waits" });
    await why
      .getByText(/queue|wait/i)
      .first()
      .waitFor({ timeout: 60_000 });
    expect(await tab.page.getByRole("button", { name: "Stop" }).count()).toBe(0);
    for (const { id } of [second, first]) {
      await callApi("POST", `/api/v1/projects/vision/clusters/${id}:stop`);
      await untilCluster("vision", id, ["stopped"]);
    }
  }, 240_000);
});

describe("what jobs leave behind", () => {
  it("leads from a version of a model to its job, its code, and its run in MLflow", async () => {
    const { job, digest } = await trainedModel("vision", "lineage-model");
    const tab = await open();
    await tab.signIn("ada", "/p/vision/models");
    await tab.page.getByRole("link", { name: "lineage-model" }).click();
    const lineage = tab.page.getByRole("list", { name: "Lineage" });
    await lineage.getByRole("link", { name: digest.slice(7, 19) }).waitFor();
    await tab.page.getByRole("cell", { name: "0.9375" }).first().waitFor();
    await tab.expectAccessible();
    await lineage.getByRole("link", { name: digest.slice(7, 19) }).click();
    await tab.page.getByRole("button", { name: "train.py" }).click();
    await tab.page.getByRole("dialog").getByText("import mlflow").waitFor();
    await tab.expectAccessible();
    await tab.page.getByRole("button", { name: "Close" }).click();
    await tab.page.goBack();
    await tab.page.goBack();
    await lineage.getByRole("listitem").filter({ hasText: "Job" }).getByRole("link").click();
    await tab.page.waitForURL(new RegExp(`/p/vision/jobs/${job}`));
    await tab.page.goBack();

    await lineage.getByRole("listitem").filter({ hasText: "Run" }).getByRole("link").click();
    await tab.page.waitForURL(/\/mlflow\/vision\//);
    await tab.page.getByText("accuracy").first().waitFor({ timeout: 60_000 });
  }, 300_000);

  it("explains why a package in use is kept, and deletes one that is not", async () => {
    const { digest } = await trainedModel("vision", "lineage-model");
    const tab = await open();
    await tab.signIn("ada", `/p/vision/packages/${encodeURIComponent(digest)}`);
    const button = tab.page.getByRole("button", { name: "Delete" });
    await button.focus();
    expect(await button.getAttribute("aria-disabled")).toBe("true");
    await tab.page.getByText(/job can be run again from it/).waitFor();
    await tab.page.keyboard.press("Enter");
    expect(await tab.page.getByRole("dialog").count()).toBe(0);
    const viewer = await open();
    await viewer.signIn("vera", `/p/vision/packages/${encodeURIComponent(digest)}`);
    await viewer.page.getByRole("link", { name: "Download" }).waitFor();
    expect(await viewer.page.getByRole("button", { name: "Delete" }).count()).toBe(0);
  }, 300_000);

  it("shows an environment that cannot be resolved with the reason, and deletes it", async () => {
    const made = await callApi<Named>("POST", "/api/v1/projects/vision/environments", {
      name: "never",
      requirements: ["no-such-thing-for-mlp==1.2.3"],
    });
    const tab = await open();
    await tab.signIn("ada", `/p/vision/environments/${made.id}`);
    await tab.page
      .getByRole("region", { name: "Why it failed" })
      .getByText(/no-such-thing/)
      .first()
      .waitFor({ timeout: 120_000 });
    await tab.expectAccessible();
    await tab.page.getByRole("button", { name: "Delete" }).click();
    await tab.page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await tab.page.waitForURL(/\/environments$/);
    await tab.page
      .getByText("No environments yet")
      .or(tab.page.getByRole("table", { name: "Environments" }))
      .waitFor();
    expect(await tab.page.getByRole("link", { name: "never" }).count()).toBe(0);
  }, 240_000);
});

describe("the events of a project", () => {
  it("come in when asked for, never under the pointer", async () => {
    const tab = await open();
    await tab.signIn("ada", "/p/vision/events");
    await tab.page.getByText("Live", { exact: true }).waitFor({ state: "attached" });
    const job = await submit("vision", { name: "made-an-event", entrypoint: "true" });
    await tab.page.getByRole("button", { name: /^\d+ new$/ }).waitFor({ timeout: 30_000 });
    expect(await tab.page.getByRole("link", { name: "made-an-event" }).count()).toBe(0);
    await tab.page.getByRole("button", { name: /^\d+ new$/ }).click();
    await tab.page.getByRole("link", { name: "made-an-event" }).first().waitFor();
    await untilPhase("vision", job.id);
  }, 240_000);

  it("keep their filters in the address, through reload and back", async () => {
    const tab = await open();
    await tab.signIn("ada", "/p/vision/events");
    await tab.page.getByLabel("Resource", { exact: true }).selectOption("project");
    await tab.page.waitForURL(/resource=project/);
    await tab.page.reload();
    await tab.page
      .getByText(/made the project/)
      .first()
      .waitFor();
    await tab.page.goBack();
    await tab.page.waitForURL((url) => url.search === "");
  });
});

describe("who may do what", () => {
  it("is changed by an owner and takes effect at once; a viewer finds nothing to change", async () => {
    const owner = await open();
    await owner.signIn("otto", "/p/audio/members");
    await owner.page.getByRole("button", { name: "Add a member" }).click();
    await owner.page.getByLabel("Username", { exact: true }).fill("vera");
    await owner.page.getByLabel("Role", { exact: true }).selectOption("viewer");
    await owner.page.getByRole("dialog").getByRole("button", { name: "Add member" }).click();
    await owner.page.getByRole("row", { name: /vera/ }).waitFor();
    await owner.expectAccessible();

    const viewer = await open();
    await viewer.signIn("vera", "/p/audio/members");
    await viewer.page.getByRole("row", { name: /otto/ }).waitFor();
    expect(await viewer.page.getByRole("button", { name: /Add|Remove/ }).count()).toBe(0);

    await owner.page.getByRole("button", { name: "Remove vera" }).click();
    await owner.page.getByRole("dialog").getByRole("button", { name: "Remove member" }).click();
    await owner.page.getByRole("row", { name: /vera/ }).waitFor({ state: "detached" });
    await viewer.page.reload();
    await viewer.page.getByText("There is nothing at this address").first().waitFor();
  }, 120_000);

  it("is the same answer for another tenant's pages as for pages that do not exist", async () => {
    const { digest, job } = await trainedModel("vision", "lineage-model");
    const tab = await open();
    await tab.signIn("otto", "/p/audio");
    const foreign = [
      "clusters",
      "models/lineage-model",
      `packages/${encodeURIComponent(digest)}`,
      "environments/never",
      "events",
      "members",
      "settings",
    ];
    for (const path of foreign) {
      await tab.goto(`/p/vision/${path}`);
      await tab.page.getByRole("main").getByText("There is nothing at this address").first().waitFor();
    }
    const token = await tokenOf("otto");
    await expect(callApi("GET", "/api/v1/projects/vision/models", undefined, token)).rejects.toThrow("404");
    const ray = await tab.page.goto(`/ray/vision/${job}/`);
    expect(ray?.status()).toBe(404);
    const mlflow = await tab.page.goto("/mlflow/vision/");
    expect(mlflow?.status()).toBe(404);
  }, 240_000);
});

const PAGES = [
  "/pools",
  "/p/vision/clusters",
  "/p/vision/models",
  "/p/vision/models/lineage-model",
  "/p/vision/environments",
  "/p/vision/packages",
  "/p/vision/events",
  "/p/vision/members",
  "/p/vision/settings",
];

describe.each(["light", "dark"] as const)("in the %s scheme", (scheme) => {
  it.each(Object.entries(WIDTHS))(
    "every page of resources is accessible at the %s width",
    async (name, width) => {
      const { digest } = await trainedModel("vision", "lineage-model");
      const tab = await open({ scheme, width });
      await tab.signInByToken();
      for (const path of [...PAGES, `/p/vision/packages/${encodeURIComponent(digest)}`]) {
        await tab.goto(path);
        await settled(tab);
        await tab.expectAccessible();
        const wider = await tab.page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        expect(Math.max(0, wider), `${path} at ${width}`).toBe(0);
        const shown = path.startsWith("/p/vision/packages/") ? "/p/vision/package" : path;
        await tab.screenshot(`${scheme}-${name}${shown.replaceAll("/", "-")}`);
      }
      tab.expectNoFaults();
    },
    180_000,
  );
});
