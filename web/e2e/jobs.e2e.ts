import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { callApi, launch, stage, submit, Tab, untilPhase, WIDTHS } from "./driver.ts";

/** The queue is behind this: it takes every core that there is, until it is cancelled. */
const PLUG = "takes every core";
/** More than two pages of the list. */
const MANY = 230;

let browser: Browser;
const tabs: Tab[] = [];
const open = async (options?: Parameters<typeof Tab.open>[1]) => {
  const tab = await Tab.open(browser, options);
  tabs.push(tab);
  return tab;
};
const row = (page: Page, name: string | RegExp) => page.getByRole("row").filter({ hasText: name });

beforeAll(async () => {
  browser = await launch();
});
afterEach(async () => {
  for (const tab of tabs.splice(0)) await tab.close();
});
afterAll(() => browser.close());

/** The largest head that fits: whatever comes after it waits. */
async function plugQueue(): Promise<string> {
  const { items } = await callApi<{ items: { name: string; cpu: number; machines: number; is_default: boolean }[] }>(
    "GET",
    "/api/v1/pools",
  );
  const pool = items.find(({ is_default, name }) => is_default && name.includes("cpu")) ?? items[0];
  const head = { cpu: pool?.cpu ?? 1, pool: pool?.name };
  const { id } = await submit("vision", { name: PLUG, entrypoint: "sleep 3600", resources: { head } });
  await untilPhase("vision", id, ["admitted", "provisioning", "running"]);
  return id;
}

describe("a person's first job", () => {
  it("goes from the form to its end without the command line, and says on the way whether it fits", async () => {
    const tab = await open();
    await tab.signIn("ada", "/p/vision/new-job");
    const { page } = tab;
    await page.getByLabel("Entrypoint").fill("echo hello from the form");
    await page.getByText("Fits now").waitFor();
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("first job");
    await page.getByRole("radio", { name: "CLI" }).check();
    expect(await page.getByRole("region", { name: "job as cli" }).textContent()).toContain(
      "--shell='echo hello from the form'",
    );
    await page.getByRole("button", { name: "Submit job" }).click();
    await page.waitForURL(/\/jobs\/job_/);
    await page.getByRole("heading", { level: 1, name: "first job" }).waitFor();
    await page.getByText("succeeded").first().waitFor({ timeout: 180_000 });
    tab.expectNoFaults();
  }, 240_000);

  it("is told before it is sent that no machine could ever hold it (c3)", async () => {
    const tab = await open();
    await tab.signIn("ada", "/p/vision/new-job");
    const { page } = tab;
    await page.getByLabel("Entrypoint").fill("python train.py");
    await page.getByRole("button", { name: "Add worker group" }).click();
    await page.getByRole("group", { name: "workers" }).getByLabel("Memory").fill("900Ti");
    await page.getByText("Can never fit", { exact: true }).waitFor();
    await page
      .getByText(/900Ti where a machine has/)
      .first()
      .waitFor();
    await page.getByRole("radio", { name: "YAML" }).first().check();
    await page.locator(".cm-content").waitFor();
    expect(await page.locator(".cm-content").textContent()).toContain("memory: 900Ti");
  });

  it("keeps what was written when the session ends, and is sent once signed in again", async () => {
    const tab = await open();
    await tab.signIn("ada", "/p/vision/new-job");
    const { page } = tab;
    await page.getByLabel("Entrypoint").fill("echo kept");
    await page.getByText("Fits now").waitFor();
    await tab.context.clearCookies();
    await page.getByRole("button", { name: "Submit job" }).click();
    const dialog = page.getByRole("dialog", { name: "Your session has ended" });
    await dialog.getByLabel("Password").fill(stage.password);
    await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await page.getByLabel("Entrypoint").inputValue()).toBe("echo kept");
    await page.getByRole("button", { name: "Submit job" }).click();
    await page.waitForURL(/\/jobs\/job_/);
  });

  it("asks before unsaved work is left, and a clone says what was changed", async () => {
    const { id } = await submit("vision", { name: "to clone", entrypoint: ["python", "-c", "print('<b>')"] });
    const tab = await open();
    await tab.signIn("ada", `/p/vision/new-job?from=${id}`);
    const { page } = tab;
    await page.getByRole("textbox", { name: "Program" }).waitFor();
    expect(await page.getByRole("textbox", { name: "Argument 2" }).inputValue()).toBe("print('<b>')");
    await page.getByRole("textbox", { name: "Argument 2" }).fill("print(2)");
    await page.locator("ins", { hasText: "print(2)" }).waitFor();
    await page.getByRole("link", { name: "Projects", exact: true }).click();
    await page.getByRole("dialog", { name: "Leave this job unsubmitted?" }).waitFor();
    await page.getByRole("button", { name: "Keep writing" }).click();
    expect(page.url()).toContain("new-job");
    await page.reload();
    await page.getByText(/what you wrote before in this tab/).waitFor();
    expect(await page.getByRole("textbox", { name: "Argument 2" }).inputValue()).toBe("print(2)");
  });
});

describe("the list of jobs", () => {
  it("is walked, cancelled from and followed by keyboard alone", async () => {
    const { id } = await submit("vision", { name: "to be cancelled", entrypoint: "sleep 3600" });
    const tab = await open();
    await tab.signIn("ada", "/p/vision/jobs?q=cancelled");
    const { page } = tab;
    await row(page, "to be cancelled").waitFor();
    for (const key of ["j", "x", "c"]) await page.keyboard.press(key);
    await page.getByRole("dialog", { name: "Cancel to be cancelled?" }).waitFor();
    for (const key of ["Tab", "Tab", "Enter"]) await page.keyboard.press(key);
    await page.getByText("1 job asked to end.").first().waitFor();
    await row(page, "to be cancelled").getByText("cancelled", { exact: true }).waitFor({ timeout: 120_000 });
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(`/jobs/${id}`));
  }, 240_000);

  it("goes back and forward through its filters, and a link to them is enough for another person", async () => {
    const tab = await open();
    await tab.signIn("ada", "/p/vision/jobs");
    const { page } = tab;
    await page.getByRole("button", { name: /^succeeded/ }).click();
    await page.getByRole("button", { name: "Mine" }).click();
    await page.waitForURL(/phase=succeeded&by=ada|by=ada.*phase=succeeded/);
    await row(page, "first job").first().waitFor();
    const address = page.url();
    await page.goBack();
    expect(new URL(page.url()).search).toBe("?phase=succeeded");
    await page.goForward();
    expect(page.url()).toBe(address);
    const other = await open();
    await other.signIn("vera", new URL(address).pathname + new URL(address).search);
    await row(other.page, "first job").first().waitFor();
    await other.page.reload();
    await row(other.page, "first job").first().waitFor();
  });

  it("shows a viewer no button that would fail, and strangers nothing", async () => {
    const viewer = await open();
    await viewer.signIn("vera", "/p/vision/jobs");
    await row(viewer.page, "first job").first().getByRole("checkbox").check();
    expect(await viewer.page.getByRole("button", { name: /^(Cancel|Retry)/ }).count()).toBe(0);
    expect(await viewer.page.getByRole("link", { name: "New job" }).count()).toBe(0);
    await viewer.goto("/p/vision/new-job");
    await viewer.page.getByText("You may not see this").waitFor();
    const stranger = await open();
    await stranger.signIn("otto", "/p/vision/jobs");
    await stranger.page.getByText("There is nothing at this address").waitFor();
    expect(await stranger.page.getByText("first job").count()).toBe(0);
  });

  it("shows hostile names as text", async () => {
    const name = `"><img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
    await submit("vision", { name, entrypoint: "true", run: { tags: { "<b>": "</b>" } } });
    const tab = await open();
    await tab.signIn("ada", "/p/vision/jobs?q=img");
    await tab.page.getByRole("link", { name }).waitFor();
    expect(await tab.page.title()).toBe("Jobs · mlp");
    tab.expectNoFaults();
  });
});

describe("a long queue", () => {
  let plug: string;
  beforeAll(async () => {
    plug = await plugQueue();
    for (let made = 0; made < MANY; made += 10) {
      await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          submit("vision", { name: `queued ${made + index}`, entrypoint: "true", run: { tags: { set: "many" } } }),
        ),
      );
    }
  });

  it("shows each job once, to the end, while others arrive, and says how many there are (i5)", async () => {
    const tab = await open();
    await tab.signIn("ada", "/p/vision/jobs?q=set%3Dmany");
    const { page } = tab;
    await page.getByText(`${MANY} jobs`).waitFor();
    await row(page, "queued").first().waitFor();
    for (let late = 0; late < 3; late += 1) {
      await submit("vision", { name: `late ${late}`, entrypoint: "true", run: { tags: { set: "many" } } });
    }
    await page.getByRole("button", { name: "3 new" }).waitFor();
    const seen = await walk(page);
    expect(seen.filter((name) => name.startsWith("queued")).length).toBe(MANY);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.some((name) => name.startsWith("late"))).toBe(false);
    await page.getByRole("button", { name: "3 new" }).click();
    await row(page, "late 2").waitFor();
  }, 180_000);

  it("says in full why each waits, and behind how many (c1, c8)", async () => {
    const tab = await open();
    await tab.signIn("ada", "/p/vision/jobs?q=set%3Dmany");
    const note = row(tab.page, "queued")
      .first()
      .getByText(/Place \d+ in the queue of pool/);
    await note.waitFor();
    expect(await note.textContent()).toMatch(/\d/);
    await tab.expectAccessible();
    await tab.screenshot("jobs-wide-light");
    for (const [width, scheme] of [
      [WIDTHS.wide, "dark"],
      [WIDTHS.medium, "light"],
      [WIDTHS.phone, "light"],
      [WIDTHS.phone, "dark"],
    ] as const) {
      const other = await open({ width, scheme });
      await other.signIn("ada", "/p/vision/jobs?q=set%3Dmany");
      await row(other.page, "queued").first().waitFor();
      await other.expectAccessible();
      await other.screenshot(`jobs-${width}-${scheme}`);
    }
  }, 180_000);

  it("is cancelled whole in one go, with a count", async () => {
    const tab = await open();
    await tab.signIn("ada", "/p/vision/jobs?q=set%3Dmany");
    const { page } = tab;
    await row(page, "queued").first().waitFor();
    await walk(page);
    await page.getByRole("checkbox", { name: "Select all shown rows" }).check();
    const button = page.getByRole("button", { name: /^Cancel 2\d\d$/ });
    await button.click();
    await tab.screenshot("jobs-bulk");
    await page.getByRole("button", { name: /^Cancel 2\d\d jobs$/ }).click();
    await page
      .getByText(/2\d\d jobs asked to end\./)
      .first()
      .waitFor({ timeout: 120_000 });
    await callApi("POST", `/api/v1/projects/vision/jobs/${plug}:cancel`, {});
    await untilPhase("vision", plug);
  }, 240_000);
});

/** Scrolls to the end of the list; the names of all rows that were ever drawn, each row once. */
async function walk(page: Page): Promise<string[]> {
  return await page.evaluate(async () => {
    const table = document.querySelector<HTMLElement>("[role=table]");
    if (table === null) throw new Error("there is no table");
    const seen = new Map<string, string>();
    const deadline = Date.now() + 45_000;
    for (let still = 0; still < 12 && Date.now() < deadline; ) {
      for (const link of table.querySelectorAll<HTMLAnchorElement>("[data-row-focus]")) {
        seen.set(link.href, link.textContent ?? "");
      }
      const before = `${table.scrollTop} ${table.scrollHeight} ${seen.size}`;
      table.scrollTop += 400;
      await new Promise((resolve) => setTimeout(resolve, 60));
      still = before === `${table.scrollTop} ${table.scrollHeight} ${seen.size}` ? still + 1 : 0;
    }
    return [...seen.values()];
  });
}
