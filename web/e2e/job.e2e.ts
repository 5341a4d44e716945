import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { callApi, launch, submit, Tab, untilPhase, WIDTHS } from "./driver.ts";
import { ended, HOSTILE, jobPath, richJob, SMALL, sent } from "./jobs-shown.ts";

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

describe("a job that failed", () => {
  it("shows the class, what is known, the last lines and what to do, and is tried again from there", async () => {
    const job = await ended("exits-with-3", "echo about to fail; exit 3");
    const tab = await open();
    await tab.signIn("ada", jobPath(job.id));
    const card = tab.page.getByRole("region", { name: "The program failed" });
    await card.getByText("user error").waitFor();
    await card.getByText("about to fail").waitFor();
    expect(await card.locator("dl").innerText()).toMatch(/Exit code\s+3/);
    expect(await tab.page.title()).toMatch(/^▲ exits-with-3/);
    expect(await tab.page.locator('link[rel="icon"]').getAttribute("href")).toMatch(/^data:image\/svg/);
    await tab.expectAccessible();
    await tab.page.getByRole("button", { name: "Retry" }).click();
    await tab.page.getByText("attempt 2", { exact: false }).first().waitFor({ timeout: 60_000 });
    await untilPhase("vision", job.id);
    await tab.page.getByRole("link", { name: "Attempt 2" }).waitFor();
    tab.expectNoFaults();
  }, 240_000);

  it("d1: names memory as the cause", async () => {
    const job = await ended("runs-out-of-memory", ["python", "-c", "raise MemoryError('no room')"]);
    const tab = await open();
    await tab.signIn("ada", jobPath(job.id));
    const card = tab.page.getByRole("region", { name: "Out of memory" });
    await card.getByText("oom").first().waitFor();
    await card
      .getByText(/memory/i)
      .first()
      .waitFor();
  }, 240_000);
});

describe("a job that runs", () => {
  it("d5: is cancelled by the keyboard, and every open tab hears of it", async () => {
    const { id } = await submit("vision", {
      name: "to-cancel",
      entrypoint: "trap '' TERM; sleep 3600",
      grace: "2s",
      resources: SMALL,
    });
    const [first, second] = [await open(), await open()];
    await first.signIn("ada", jobPath(id));
    await second.signIn("vera", jobPath(id));
    await untilPhase("vision", id, ["running"]);
    await first.page.getByText("running", { exact: true }).first().waitFor({ timeout: 30_000 });
    expect(await second.page.getByRole("button", { name: /Cancel|Retry/ }).count()).toBe(0);
    expect(await second.page.getByRole("link", { name: "Clone" }).count()).toBe(0);
    await first.page.keyboard.press("c");
    const dialog = first.page.getByRole("dialog");
    await dialog.waitFor();
    await first.expectAccessible();
    await dialog.getByRole("button", { name: "Cancel job" }).focus();
    await first.page.keyboard.press("Enter");
    await untilPhase("vision", id, ["cancelled"]);
    for (const tab of [first, second]) {
      await tab.page
        .getByRole("heading", { level: 1 })
        .locator("..")
        .getByText("cancelled")
        .waitFor({ timeout: 30_000 });
    }
    await first.page.getByText(/to-cancel: cancelled/).waitFor({ state: "attached" });
    await first.page.getByRole("button", { name: "Retry" }).waitFor();
  }, 240_000);

  it("says why it waits, behind whom, and who can change that", async () => {
    // A pool of a single machine, so that the first job leaves the second one no room.
    await callApi("POST", "/api/v1/pools", { name: "single", cpu: 1, memory: "1Gi", machines: 1 });
    const most = { head: { cpu: 0.9, memory: "512Mi", pool: "single" }, groups: [] };
    const holder = await submit("vision", {
      name: "holds-the-machine",
      entrypoint: "sleep 3600",
      grace: "1s",
      resources: most,
    });
    await untilPhase("vision", holder.id, ["running"]);
    const waiter = await submit("vision", { name: "waits", entrypoint: "true", resources: most });
    const tab = await open();
    await tab.signIn("ada", jobPath(waiter.id));
    const card = tab.page.locator("section", { hasText: "Who can change it:" });
    await card.getByRole("link", { name: "holds-the-machine" }).first().waitFor({ timeout: 60_000 });
    await card
      .getByText(/Waiting for/)
      .first()
      .waitFor();
    await tab.expectAccessible();
    await tab.screenshot("job-waits");
    for (const { id } of [waiter, holder]) {
      await callApi("POST", `/api/v1/projects/vision/jobs/${id}:cancel`, {});
      await untilPhase("vision", id);
    }
    await callApi("DELETE", "/api/v1/pools/single");
  }, 240_000);
});

describe("a job of two attempts", () => {
  it("g3, g7: has every step once, the later attempt's where both have it, and shows each on request", async () => {
    const job = await richJob();
    expect([job.phase, job.attempt]).toEqual(["succeeded", 2]);
    const tab = await open();
    await tab.signIn("ada", jobPath(job.id, "?tab=metrics"));
    const loss = tab.page.getByRole("figure", { name: "loss" });
    await loss.getByRole("button", { name: "Table" }).click();
    await loss.getByText("100 rows").waitFor();
    const steps = await loss.locator("tbody th").allInnerTexts();
    expect(steps).toEqual(Array.from({ length: 100 }, (_, step) => `step ${step}`));
    expect(
      await loss
        .getByRole("row", { name: /^step 45 / })
        .locator("td")
        .innerText(),
    ).toBe("0.02374");
    await tab.page
      .getByRole("figure", { name: "late" })
      .getByText(/step 5/)
      .first()
      .waitFor();
    await tab.page
      .getByRole("figure", { name: "train/accuracy" })
      .getByText(/1 value is not a finite number/)
      .waitFor();
    await tab.page.getByRole("button", { name: "Each attempt" }).click();
    await loss.getByRole("columnheader", { name: "attempt 1" }).waitFor();
    await loss.getByRole("columnheader", { name: "attempt 2" }).waitFor();
    await tab.expectAccessible();
    tab.expectNoFaults();
  }, 300_000);

  it("moves the cursor of a chart by keys and says where it is", async () => {
    const job = await richJob();
    const tab = await open();
    await tab.signIn("ada", jobPath(job.id, "?tab=metrics"));
    const cursor = tab.page.getByRole("slider", { name: "loss: cursor" });
    await cursor.focus();
    await tab.page.keyboard.press("Home");
    await tab.page.keyboard.press("ArrowRight");
    expect(await cursor.getAttribute("aria-valuetext")).toMatch(/^step 1: value 0\.50/);
  }, 300_000);

  it("shows its files, its artifacts and the use of machines, and takes no text for markup", async () => {
    const job = await richJob();
    const tab = await open();
    await tab.signIn("ada", jobPath(job.id, "?tab=artifacts"));
    const download = tab.page.getByRole("link", { name: /onerror/ });
    await download.waitFor();
    const [file] = await Promise.all([
      tab.page.waitForEvent("download"),
      tab.page.getByRole("link", { name: "weights.bin" }).click(),
    ]);
    expect(file.suggestedFilename()).toBe("weights.bin");
    await tab.goto(jobPath(job.id, "?tab=code"));
    await tab.page.getByRole("region", { name: "Content of train.py" }).getByText("import mlflow").waitFor();
    await tab.page.getByRole("link", { name: "odd name's.txt" }).click();
    await tab.page.getByRole("region", { name: "Content of odd name's.txt" }).waitFor();
    await tab.goto(jobPath(job.id, "?tab=logs"));
    await tab.page.getByRole("log").getByText(HOSTILE).waitFor();
    await tab.goto(jobPath(job.id, "?tab=resources"));
    await tab.page.getByRole("figure", { name: "Memory" }).first().waitFor();
    expect(await tab.page.evaluate(() => "hacked" in globalThis)).toBe(false);
    const named = await submit("vision", { name: HOSTILE, entrypoint: "true", resources: SMALL });
    await tab.goto(jobPath(named.id));
    await tab.page.getByRole("heading", { level: 1, name: HOSTILE, exact: true }).waitFor();
    expect(await tab.page.locator("img[src=x]").count()).toBe(0);
    await untilPhase("vision", named.id);
  }, 300_000);

  it("shows how its code differs from another job's", async () => {
    const job = await richJob();
    const other = await sent({ "train.py": "print(1)\n", "lib/util.py": "A = 1\nB = 3\n", "new.py": "" }, "other");
    const tab = await open();
    await tab.signIn("ada", jobPath(job.id, `?tab=code&with=${other.id}`));
    await tab.page.getByText(/2 changed, 1 added, 1 removed, 0 equal/).waitFor();
    await tab.page.getByRole("link", { name: /util\.py/ }).click();
    const changes = tab.page.getByRole("region", { name: "Changes of lib/util.py" });
    await changes.getByText("B = 2").waitFor();
    await changes.getByText("B = 3").waitFor();
    await tab.expectAccessible();
  }, 300_000);

  it("is nowhere for people of other projects, and can be changed by no viewer", async () => {
    const job = await richJob();
    const tab = await open();
    await tab.signIn("otto", jobPath(job.id, "?tab=logs"));
    await tab.page.getByText("There is nothing at this address").waitFor();
    expect(await tab.page.getByRole("log").count()).toBe(0);
    const viewer = await open();
    await viewer.signIn("vera", jobPath(job.id));
    await viewer.page.getByRole("heading", { level: 2, name: "Timeline" }).waitFor();
    expect(await viewer.page.getByRole("button", { name: /Cancel|Retry/ }).count()).toBe(0);
  }, 300_000);
});

const TABS = ["overview", "logs", "metrics", "resources", "events", "code", "artifacts"];

describe.each(["light", "dark"] as const)("in the %s scheme", (scheme) => {
  it.each(Object.entries(WIDTHS))(
    "every tab opens by its address, is accessible and fits at the %s width",
    async (name, width) => {
      const job = await richJob();
      const tab = await open({ scheme, width });
      await tab.signIn("ada", jobPath(job.id));
      for (const part of TABS) {
        await tab.goto(jobPath(job.id, `?tab=${part}`));
        await tab.page.getByRole("navigation", { name: "Parts of the job" }).locator("[aria-current=page]").waitFor();
        await tab.page.waitForFunction(
          () => document.querySelector("main [role=status]")?.textContent?.startsWith("Loading") !== true,
        );
        await tab.expectAccessible();
        const wider = await tab.page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        expect(wider, `${part} at ${width}`).toBeLessThanOrEqual(0);
        await tab.screenshot(`job-${part}-${scheme}-${name}`);
      }
      tab.expectNoFaults();
    },
    300_000,
  );
});
