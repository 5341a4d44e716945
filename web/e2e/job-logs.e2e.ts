import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { askStage, launch, submit, Tab, untilPhase } from "./driver.ts";
import { ended, jobPath, richJob, SMALL, shownLines } from "./jobs-shown.ts";

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

describe("a log", () => {
  it("b1: comes while the job runs, and loses or doubles no line when the api is killed under the open page", async () => {
    const entrypoint = "for i in $(seq 1 300); do echo line $i; sleep 0.1; done";
    const { id } = await submit("vision", { name: "counts", entrypoint, resources: SMALL });
    const [tab, other] = [await open(), await open()];
    await tab.signIn("ada", jobPath(id, "?tab=logs"));
    await other.signIn("vera", jobPath(id, "?tab=logs"));
    await tab.page.evaluate(() => Object.assign(globalThis, { sameDocument: true }));
    await tab.page.getByRole("log").getByText("line 20", { exact: true }).waitFor({ timeout: 120_000 });
    await askStage({ do: "kill", service: "api" });
    await untilPhase("vision", id);
    for (const shown of [tab, other]) {
      await shown.page.getByText("300 lines, complete").waitFor({ timeout: 60_000 });
      expect(await shownLines(shown)).toEqual(Array.from({ length: 300 }, (_, index) => `line ${index + 1}`));
    }
    expect(await tab.page.evaluate(() => "sameDocument" in globalThis)).toBe(true);
  }, 300_000);

  it("follows until one scrolls up, and goes on when asked", async () => {
    const entrypoint = "for i in $(seq 1 400); do echo line $i; sleep 0.05; done; sleep 5";
    const { id } = await submit("vision", { name: "follows", entrypoint, resources: SMALL });
    const tab = await open();
    await tab.signIn("ada", jobPath(id, "?tab=logs"));
    const log = tab.page.getByRole("log");
    await log.getByText("line 120", { exact: true }).waitFor({ timeout: 120_000 });
    await log.hover();
    await tab.page.mouse.wheel(0, -800);
    const button = tab.page.getByRole("button", { name: /new lines? · Follow/ });
    await button.waitFor();
    const top = await log.evaluate((element) => element.scrollTop);
    await untilPhase("vision", id);
    expect(await log.evaluate((element) => element.scrollTop)).toBe(top);
    await tab.page.keyboard.press("f");
    await log.getByText("line 400", { exact: true }).waitFor();
  }, 300_000);

  it("b3: shows the last state of a progress bar, colours as colours, and no other control sequence", async () => {
    const job = await richJob();
    const tab = await open();
    await tab.signIn("ada", jobPath(job.id, "?tab=logs"));
    await tab.page.getByText(/lines, complete/).waitFor();
    const lines = await shownLines(tab);
    expect(lines.filter((line) => line.includes("progress"))).toEqual(["progress 100%"]);
    expect(lines).toContain("green and plain");
    expect(lines).toContain("the end");
    expect(lines.join("")).not.toMatch(/\[32m|\[2J|title/);
    expect(
      await tab.page
        .getByRole("log")
        .getByText("green", { exact: true })
        .evaluate((element) => getComputedStyle(element).color),
    ).not.toBe(
      await tab.page
        .getByRole("log")
        .getByText("the end", { exact: true })
        .evaluate((element) => getComputedStyle(element).color),
    );
    await tab.page.getByRole("combobox", { name: "Attempt" }).selectOption("1");
    await tab.page.getByRole("log").getByText("attempt 1 ends here").waitFor();
    expect((await shownLines(tab)).join("")).not.toContain("the end");
  }, 300_000);

  it("b5: never folds lines that look alike", async () => {
    const job = await ended("alike", "for i in $(seq 0 9); do echo v $i; done");
    const tab = await open();
    await tab.signIn("ada", jobPath(job.id, "?tab=logs"));
    await tab.page.getByText("10 lines, complete").waitFor();
    expect(await shownLines(tab)).toEqual(Array.from({ length: 10 }, (_, index) => `v ${index}`));
  }, 240_000);

  it("of 100,000 lines is read whole in at most 1.5 times what a bare reader needs, searched, and linked to", async () => {
    const job = await ended("very-long", "seq 1 100000 | sed 's/^/this is line number /'");
    const tab = await open();
    await tab.signIn("ada", jobPath(job.id));
    const page = tab.page;
    const bare = await page.evaluate(async (id) => {
      const times: number[] = [];
      for (let round = 0; round < 3; round += 1) {
        const start = performance.now();
        let lines = 0;
        for (let cursor: string | null = ""; cursor !== null; ) {
          const query = new URLSearchParams({ attempt: "1", limit: "10000", ...(cursor === "" ? {} : { cursor }) });
          const answer = await fetch(`/api/v1/projects/vision/jobs/${id}/logs?${query}`);
          const read = (await answer.json()) as { items: { lines: string[] }[]; next: string | null };
          lines += read.items.reduce((sum, item) => sum + item.lines.length, 0);
          cursor = read.next;
        }
        if (lines !== 100_000) throw new Error(`${lines} lines`);
        times.push(performance.now() - start);
      }
      return times.sort((a, b) => a - b)[1] ?? 0;
    }, job.id);
    const viewer: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      await page.getByRole("link", { name: "Overview" }).click();
      await page.getByRole("heading", { level: 2, name: "Timeline" }).waitFor();
      const start = Date.now();
      await page.getByRole("navigation", { name: "Parts of the job" }).getByRole("link", { name: "Logs" }).click();
      await page.getByText("100,000 lines, complete").waitFor({ timeout: 120_000 });
      viewer.push(Date.now() - start);
    }
    // The first round also loads the code of the viewer.
    const median = viewer.slice(1).sort((a, b) => a - b)[1] ?? 0;
    console.log(`100,000 lines: viewer ${Math.round(median)} ms, bare reader ${Math.round(bare)} ms`);
    expect(median).toBeLessThanOrEqual(1.5 * bare);

    await page.keyboard.press("/");
    await page.keyboard.type("number 77777");
    await page.getByText("– of 1", { exact: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("log").getByText("this is line number 77777").waitFor();
    await page.goto(jobPath(job.id, "?tab=logs&line=driver:54321"));
    await page.locator("[data-active]").getByText("this is line number 54321").waitFor();
    expect(await page.locator("[data-row]").count()).toBeLessThan(200);
    await tab.expectAccessible();
  }, 400_000);

  it("goes on after the session has ended and begun again, with what was written meanwhile", async () => {
    const entrypoint = "for i in $(seq 1 200); do echo line $i; sleep 0.1; done";
    const { id } = await submit("vision", { name: "outlives-the-session", entrypoint, resources: SMALL });
    const tab = await open();
    await tab.signIn("ada", jobPath(id, "?tab=logs"));
    await tab.page.getByRole("log").getByText("line 5", { exact: true }).waitFor({ timeout: 120_000 });
    await tab.context.clearCookies();
    await askStage({ do: "kill", service: "api" });
    const dialog = tab.page.getByRole("dialog", { name: "Your session has ended" });
    await dialog.waitFor({ timeout: 60_000 });
    const { stage } = await import("./driver.ts");
    await dialog.getByLabel("Password").fill(stage.password);
    await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    await untilPhase("vision", id);
    await tab.page.getByText("200 lines, complete").waitFor({ timeout: 60_000 });
    expect(await shownLines(tab)).toEqual(Array.from({ length: 200 }, (_, index) => `line ${index + 1}`));
  }, 300_000);
});
