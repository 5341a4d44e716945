import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { launch, submit, Tab, untilPhase, WIDTHS } from "./driver.ts";

let browser: Browser;
const tabs: Tab[] = [];
let ids: string[] = [];
const open = async (options?: Parameters<typeof Tab.open>[1]) => {
  const tab = await Tab.open(browser, options);
  tabs.push(tab);
  return tab;
};

/** Logs a curve and its parameters from the flags that it is given. */
const TRAIN = [
  "import mlflow, sys",
  "lr = float(sys.argv[2])",
  "mlflow.log_param('lr', lr)",
  "for step in range(20): mlflow.log_metric('accuracy', 1 - 1 / (1 + lr * (step + 1)), step=step)",
].join("\n");

beforeAll(async () => {
  browser = await launch();
  const jobs = await Promise.all(
    ["0.1", "0.5"].map((lr) =>
      submit("vision", {
        name: `compared ${lr}`,
        entrypoint: ["python", "-c", TRAIN, "--lr", lr],
        environment: { variables: { SEED: lr } },
      }),
    ),
  );
  ids = jobs.map(({ id }) => id);
  for (const id of ids) expect((await untilPhase("vision", id)).phase).toBe("succeeded");
});
afterEach(async () => {
  for (const tab of tabs.splice(0)) await tab.close();
});
afterAll(() => browser.close());

describe("comparing jobs", () => {
  it("is reached from the list, and shows first what differs", async () => {
    const tab = await open();
    await tab.signIn("vera", "/p/vision/jobs?q=compared");
    const { page } = tab;
    for (const name of ["compared 0.1", "compared 0.5"])
      await page.getByRole("checkbox", { name: `Select ${name}` }).check();
    await page.getByRole("link", { name: "Compare", exact: true }).last().click();
    await page.waitForURL(/\/compare\?jobs=/);
    const table = page.getByRole("table").first();
    const seed = table.getByRole("row").filter({ hasText: "$SEED" });
    await seed.waitFor();
    expect(await seed.getByRole("cell").allTextContents()).toEqual(expect.arrayContaining(["0.1", "0.5"]));
    await table.getByRole("row").filter({ hasText: "accuracy" }).getByText("best").waitFor();
    await table.getByRole("row").filter({ hasText: /^lr/ }).waitFor();
    expect(await table.getByRole("row").filter({ hasText: "priority" }).count()).toBe(0);
    await page.getByRole("radio", { name: "Everything" }).check();
    await table.getByRole("row").filter({ hasText: "priority" }).waitFor();
    await page.getByRole("slider", { name: "accuracy: cursor" }).waitFor();
    tab.expectNoFaults();
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Jobs" }).waitFor();
    await page.goForward();
    await page.getByRole("heading", { level: 1, name: "Compare" }).waitFor();
  }, 120_000);

  it("tells strangers nothing", async () => {
    const stranger = await open();
    await stranger.signIn("otto", `/p/vision/compare?jobs=${ids.join(",")}`);
    await stranger.page.getByText("There is nothing at this address").waitFor();
    const within = await open();
    await within.signIn("otto", `/p/audio/compare?jobs=${ids.join(",")}`);
    await within.page.getByText("There is nothing at this address").waitFor();
  });

  it.each([
    [WIDTHS.wide, "light"],
    [WIDTHS.wide, "dark"],
    [WIDTHS.phone, "light"],
    [WIDTHS.phone, "dark"],
  ] as const)(
    "can be read by everybody at %i px, %s",
    async (width, scheme) => {
      const tab = await open({ width, scheme });
      await tab.signIn("ada", `/p/vision/compare?jobs=${ids.join(",")}`);
      await tab.page.getByRole("row").filter({ hasText: "accuracy" }).first().waitFor();
      await tab.expectAccessible();
      await tab.screenshot(`compare-${width}-${scheme}`);
      await tab.goto(`/p/vision/new-job?from=${ids[0]}`);
      await tab.page.getByText(/Fits now|Would wait/).waitFor();
      await tab.expectAccessible();
      await tab.screenshot(`submit-${width}-${scheme}`);
      await tab.page.getByRole("radio", { name: "YAML" }).first().check();
      await tab.page.locator(".cm-content").waitFor();
      await tab.expectAccessible();
      await tab.screenshot(`submit-yaml-${width}-${scheme}`);
    },
    120_000,
  );
});
