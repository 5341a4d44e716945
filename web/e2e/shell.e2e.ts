import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { askStage, callApi, launch, stage, submit, Tab, untilPhase, WIDTHS } from "./driver.ts";

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

describe("signing in", () => {
  it("leads to the page that was asked for, and keeps no token where scripts read", async () => {
    const tab = await open();
    await tab.page.goto("/p/vision?x=1");
    await tab.page.waitForURL(/\/sign-in\?next=/);
    await tab.page.getByLabel("Username").fill("ada");
    await tab.page.getByLabel("Password").fill(stage.password);
    await tab.page.keyboard.press("Enter");
    await tab.page.waitForURL(/\/p\/vision/);
    await tab.page.getByRole("heading", { level: 1, name: "vision" }).waitFor();
    const readable = await tab.page.evaluate(
      () => document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage }),
    );
    expect(readable).not.toMatch(/mlp_|token|session=/i);
  });

  it("says what is wrong and keeps what was typed", async () => {
    const tab = await open();
    await tab.goto("/sign-in");
    await tab.page.getByLabel("Username").fill("ada");
    await tab.page.getByLabel("Password").fill("not the password");
    await tab.page.getByRole("button", { name: "Sign in", exact: true }).click();
    await tab.page.getByRole("alert").waitFor();
    expect(await tab.page.getByLabel("Username").inputValue()).toBe("ada");
  });

  it("works by a one-time link, once, which leaves the address at once", async () => {
    const { url } = await callApi<{ url: string }>("POST", "/api/v1/session-links");
    const tab = await open();
    await tab.page.goto(url);
    await tab.page.waitForURL((address) => address.pathname !== "/sign-in");
    expect(tab.page.url()).not.toContain("link=");
    const other = await open();
    await other.page.goto(url);
    await other.page.getByRole("alert").waitFor();
    expect(other.page.url()).not.toContain("link=");
  });

  it("is asked for again over the page when the session has ended, and nothing typed is lost", async () => {
    const tab = await open();
    await tab.signIn("ada", "/settings");
    await tab.page.getByLabel("Present password").fill(stage.password);
    await tab.page.getByLabel("New password").fill(stage.password);
    await tab.context.clearCookies();
    await tab.page.getByRole("button", { name: "Change password" }).click();
    const dialog = tab.page.getByRole("dialog", { name: "Your session has ended" });
    await dialog.waitFor();
    await tab.expectAccessible();
    await dialog.getByLabel("Password").fill(stage.password);
    await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await tab.page.getByLabel("New password").inputValue()).toBe(stage.password);
    await tab.page.getByRole("button", { name: "Change password" }).click();
    await tab.page.getByText("The password was changed.").first().waitFor();
  });

  it("ends on the platform, too", async () => {
    const tab = await open();
    await tab.signIn("ada", "/settings");
    const cookies = await tab.context.cookies();
    await tab.page.getByRole("button", { name: /^Signed in as/ }).click();
    await tab.page.getByRole("button", { name: "Sign out" }).click();
    await tab.page.waitForURL(/\/sign-in/);
    const header = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
    expect((await fetch(`${stage.url}/api/v1/me`, { headers: { Cookie: header } })).status).toBe(401);
  });
});

describe("the shell", () => {
  it("shows a job on the home page through its life without reloading", async () => {
    const tab = await open();
    await tab.signIn("ada", "/p/vision");
    const job = await submit("vision", { name: "shown-live", entrypoint: "echo hello; exit 3" });
    await tab.page.getByRole("link", { name: "shown-live" }).first().waitFor();
    await untilPhase("vision", job.id);
    const failed = tab.page.getByRole("region", { name: "Failed in the last 24 hours" });
    await failed.getByText("user error").waitFor({ timeout: 30_000 });
    await tab.expectAccessible();
    tab.expectNoFaults();
  }, 240_000);

  it("goes on by itself when the api was restarted under an open page", async () => {
    const tab = await open();
    await tab.signIn("ada", "/p/vision");
    await tab.page.getByText("Live", { exact: true }).waitFor({ state: "attached" });
    await tab.page.evaluate(() => Object.assign(globalThis, { sameDocument: true }));
    await askStage({ do: "kill", service: "api" });
    const job = await submit("vision", { name: "after-the-restart", entrypoint: "true" });
    await tab.page.getByRole("link", { name: "after-the-restart" }).first().waitFor({ timeout: 60_000 });
    expect(await tab.page.evaluate(() => "sameDocument" in globalThis)).toBe(true);
    await untilPhase("vision", job.id);
  }, 240_000);

  it("answers another tenant's address as it answers one that does not exist", async () => {
    const tab = await open();
    await tab.signIn("otto", "/p/vision");
    const body = tab.page.getByRole("main");
    await body.getByText("There is nothing at this address").first().waitFor();
    const foreign = await body.innerText();
    await tab.goto("/p/nowhere");
    await body.getByText("There is nothing at this address").first().waitFor();
    expect((await body.innerText()).replaceAll("nowhere", "vision")).toBe(foreign);
  });

  it("opens pages from the keyboard alone", async () => {
    const tab = await open();
    await tab.signIn("ada", "/p/vision");
    await tab.page.getByRole("heading", { level: 1, name: "vision" }).waitFor();
    await tab.page.keyboard.press("Control+k");
    await tab.page.getByRole("combobox").fill("settings");
    await tab.page.keyboard.press("Enter");
    await tab.page.waitForURL(/\/settings$/);
    await expect.poll(() => tab.page.evaluate(() => document.activeElement?.textContent)).toBe("Settings");
    await tab.page.keyboard.press("g");
    await tab.page.keyboard.press("p");
    await tab.page.waitForURL(/\/projects$/);
    await tab.page.goBack();
    await tab.page.waitForURL(/\/settings$/);
    await tab.page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
  });

  it("makes a token that works, shows it once, and revokes it", async () => {
    const tab = await open();
    await tab.signIn("ada", "/settings/tokens");
    await tab.page.getByRole("button", { name: "New token" }).click();
    await tab.page.getByLabel("Name").fill("from the browser");
    await tab.page.getByRole("button", { name: "Make token" }).click();
    const token = await tab.page.getByRole("region", { name: "token" }).innerText();
    const me = await callApi<{ username: string }>("GET", "/api/v1/me", undefined, token.trim());
    expect(me.username).toBe("ada");
    await tab.page.getByRole("button", { name: "I have it" }).click();
    await tab.page.getByRole("button", { name: "Revoke from the browser" }).click();
    await tab.page.getByRole("button", { name: "Revoke token" }).click();
    await tab.page.getByRole("row", { name: /from the browser/ }).waitFor({ state: "detached" });
    await expect(callApi("GET", "/api/v1/me", undefined, token.trim())).rejects.toThrow("401");
  });
});

const PAGES = [
  "/sign-in",
  "/projects",
  "/settings",
  "/settings/tokens",
  "/admin/health",
  "/p/vision",
  "/p/audio",
  "/no-such-page",
];

describe.each(["light", "dark"] as const)("in the %s scheme", (scheme) => {
  it.each(Object.entries(WIDTHS))(
    "every page is accessible at the %s width",
    async (name, width) => {
      const tab = await open({ scheme, width });
      await tab.signInByToken();
      for (const path of PAGES) {
        await tab.goto(path);
        await tab.page.waitForLoadState("load");
        await tab.expectAccessible();
        expect(await overflow(tab), `${path} at ${width}`).toBe(0);
        await tab.screenshot(`${scheme}-${name}${path.replaceAll("/", "-")}`);
      }
      tab.expectNoFaults();
    },
    120_000,
  );
});

/** By how much the page is wider than the window. */
function overflow(tab: Tab): Promise<number> {
  return tab.page.evaluate(() =>
    Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth),
  );
}
