/** What browser tests act with: a browser, people who are signed in, the API as its clients see it. */
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { expect, inject } from "vitest";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const OUTPUT = fileURLToPath(new URL("./output/", import.meta.url));
const AXE_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const stage = inject("stage");
/** What fits where: the widths of the three layouts. */
export const WIDTHS = { wide: 1440, medium: 1000, phone: 390 } as const;

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: process.env.MLP_CHROMIUM ?? "/usr/bin/chromium", args: ARGUMENTS });
}

interface TabOptions {
  width?: number;
  scheme?: "light" | "dark";
}

/** A browser profile of its own, with one page. What goes wrong in it is kept in `faults`. */
export class Tab {
  readonly faults: string[] = [];
  private constructor(
    readonly context: BrowserContext,
    readonly page: Page,
  ) {
    this.watch(page);
  }

  static async open(browser: Browser, { width = WIDTHS.wide, scheme = "light" }: TabOptions = {}): Promise<Tab> {
    const context = await browser.newContext({
      baseURL: stage.url,
      viewport: { width, height: width < 900 ? 844 : 900 },
      colorScheme: scheme,
      reducedMotion: "reduce",
      locale: "en-GB",
    });
    return new Tab(context, await context.newPage());
  }

  /** Sign in at the sign-in page, as a person does. */
  async signIn(username: string, next = "/"): Promise<void> {
    await this.page.goto(next === "/" ? "/sign-in" : `/sign-in?next=${encodeURIComponent(next)}`);
    await this.page.getByLabel("Username").fill(username);
    await this.page.getByLabel("Password").fill(stage.password);
    await this.page.getByRole("button", { name: "Sign in" }).click();
    await this.page.waitForURL((url) => url.pathname !== "/sign-in");
  }

  /** Sign in as the administrator, whose token is known. */
  async signInByToken(token = stage.token): Promise<void> {
    await this.page.goto("/sign-in");
    await this.page.getByRole("button", { name: "Use a token instead" }).click();
    await this.page.getByLabel("Token").fill(token);
    await this.page.getByRole("button", { name: "Sign in", exact: true }).click();
    await this.page.waitForURL((url) => url.pathname !== "/sign-in");
  }

  /** Go to a page by its address, and wait until its title stands. */
  async goto(path: string): Promise<void> {
    await this.page.goto(path);
    await this.page.getByRole("heading", { level: 1 }).waitFor();
  }

  /** Nothing that automatic checks find, on the page as it is. */
  async expectAccessible(): Promise<void> {
    // By the debugger: the page's own policy rightly allows no foreign script.
    await this.page.evaluate(AXE);
    const violations = await this.page.evaluate(async (tags) => {
      const { axe } = globalThis as unknown as { axe: typeof import("axe-core") };
      const found = await axe.run(document, { runOnly: tags });
      return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
    }, AXE_TAGS);
    expect(violations, `axe at ${this.page.url()}`).toEqual([]);
  }

  async screenshot(name: string): Promise<void> {
    mkdirSync(OUTPUT, { recursive: true });
    await this.page.screenshot({ path: `${OUTPUT}${name}.png` });
  }

  /** No error in the console, no failed request, nothing asked of another host. */
  expectNoFaults(): void {
    expect(this.faults).toEqual([]);
  }

  async close(): Promise<void> {
    await this.context.close();
  }

  private watch(page: Page): void {
    page.on("console", (message) => {
      if (message.type() === "error") this.faults.push(`console: ${message.text()} (${message.location().url})`);
    });
    page.on("pageerror", (error) => this.faults.push(`error: ${error.message}`));
    page.on("request", (request) => {
      const { origin, protocol } = new URL(request.url());
      if (protocol.startsWith("http") && origin !== stage.url) this.faults.push(`outside: ${request.url()}`);
    });
  }
}

/** The API as a program uses it, in the name of the administrator or of `token`. */
export async function callApi<T>(method: string, path: string, body?: unknown, token = stage.token): Promise<T> {
  const response = await fetch(`${stage.url}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json",
      "Idempotency-Key": crypto.randomUUID(),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return (text === "" ? undefined : JSON.parse(text)) as T;
}

/** A token of that person, for `callApi`. */
export async function tokenOf(username: string): Promise<string> {
  const made = await callApi<{ token: string }>("POST", "/api/v1/login", { username, password: stage.password });
  return made.token;
}

interface JobFacts {
  id: string;
  phase: string;
}

/** Submit a job: `submit("vision", { entrypoint: "echo hello" })`. */
export function submit(project: string, job: Record<string, unknown>, token?: string): Promise<JobFacts> {
  return callApi("POST", `/api/v1/projects/${project}/jobs`, job, token);
}

const ENDED = ["succeeded", "failed", "cancelled"];
const LOOK_AGAIN_MS = 250;

/** The job once it is in one of `phases`, by default once it has ended. */
export async function untilPhase(project: string, id: string, phases = ENDED, within = 180_000): Promise<JobFacts> {
  const deadline = Date.now() + within;
  for (;;) {
    const job = await callApi<JobFacts>("GET", `/api/v1/projects/${project}/jobs/${id}`);
    if (phases.includes(job.phase)) return job;
    if (Date.now() > deadline) throw new Error(`job ${id} is ${job.phase}, not ${phases.join(" or ")}, in time`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

/** What only the owner of the platform can do: `askStage({ do: "kill", service: "api" })`. */
export async function askStage(what: Record<string, unknown>): Promise<Record<string, unknown>> {
  const response = await fetch(stage.control, { method: "POST", body: JSON.stringify(what) });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Record<string, unknown>;
}
