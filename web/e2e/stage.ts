/** Starts the real platform through the repository's own Python, and speaks with it. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const START_MS = 280_000;

export interface StageFacts {
  url: string;
  /** Of the administrator. */
  token: string;
  /** Of everybody else. */
  password: string;
  people: string[];
}

export type StageAnswer = Record<string, unknown>;

export class Stage {
  private constructor(
    private readonly process: ChildProcess,
    private readonly lines: Interface,
    readonly facts: StageFacts,
  ) {}

  static async start(): Promise<Stage> {
    if (!existsSync(`${root}web/dist/index.html`)) throw new Error("web/dist is not built: run `npm run build` first.");
    const python = spawn(`${root}.venv/bin/python`, ["-m", "web.stage"], {
      cwd: `${root}tests`,
      stdio: ["pipe", "pipe", "inherit"],
    });
    const lines = createInterface({ input: python.stdout });
    try {
      const facts = (await nextLine(lines, python, START_MS)) as unknown as StageFacts;
      return new Stage(python, lines, facts);
    } catch (error) {
      python.stdin.end(); // it takes down what it started
      throw error;
    }
  }

  /** Have the stage do something; one thing at a time. */
  async ask(what: Record<string, unknown>): Promise<StageAnswer> {
    const answer = nextLine(this.lines, this.process, 120_000);
    this.process.stdin?.write(`${JSON.stringify(what)}\n`);
    return await answer;
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    this.process.stdin?.end();
    await ended;
  }
}

function nextLine(lines: Interface, process: ChildProcess, milliseconds: number): Promise<StageAnswer> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => {
      cleanUp();
      reject(new Error(reason));
    };
    const onLine = (line: string) => {
      cleanUp();
      resolve(JSON.parse(line) as StageAnswer);
    };
    const onExit = (code: number | null) => fail(`the platform of the browser tests ended with ${code}`);
    const timer = setTimeout(() => fail(`no answer of the stage within ${milliseconds} ms`), milliseconds);
    const cleanUp = () => {
      clearTimeout(timer);
      lines.off("line", onLine);
      process.off("exit", onExit);
    };
    lines.once("line", onLine);
    process.once("exit", onExit);
  });
}
