/** Jobs that the page of a job is tried on. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { askStage, callApi, submit, type Tab, untilPhase } from "./driver.ts";

export const SMALL = { head: { cpu: 0.2, memory: "512Mi" }, groups: [] };
export const HOSTILE = `<img src=x onerror="globalThis.hacked=1">`;

export interface Shown {
  id: string;
  phase: string;
  message: string;
  attempt: number;
}

export async function ended(
  name: string,
  entrypoint: string | string[],
  more: Record<string, unknown> = {},
): Promise<Shown> {
  const { id } = await submit("vision", { name, entrypoint, resources: SMALL, ...more });
  await untilPhase("vision", id);
  return callApi<Shown>("GET", `/api/v1/projects/vision/jobs/${id}`);
}

const RICH = `import os, sys, time
import mlflow
from mlp import runtime

n = int(os.environ["MLP_ATTEMPT"])
mlflow.log_params({"lr": 0.1, "started": time.time()})
for step in range(0 if n == 1 else 40, 100):
    mlflow.log_metric("loss", 1 / (step + 1) + n / 1000, step=step)
    if n == 1 and step == 50:
        print("attempt 1 ends here", flush=True)
        os._exit(1)
mlflow.log_metric("train/accuracy", 0.5, step=1)
mlflow.log_metric("train/accuracy", float("nan"), step=2)
mlflow.log_metric("train/accuracy", 0.9, step=3)
mlflow.log_metric("late", 1.0, step=5)
out = runtime.context().output_dir
(out / "model").mkdir(exist_ok=True)
(out / "model" / "weights.bin").write_bytes(bytes(3000))
(out / "${HOSTILE.replaceAll('"', "'").replaceAll("/", "")}.txt").write_text("text")
print("\\x1b[32mgreen\\x1b[0m and plain", flush=True)
print("""${HOSTILE}""", flush=True)
for percent in range(0, 101, 5):
    sys.stdout.write(f"\\rprogress {percent}%")
    sys.stdout.flush()
    time.sleep(0.05)
sys.stdout.write("\\n\\x1b]0;title\\x07\\x1b[2Jthe end\\n")
time.sleep(6)
`;

let rich: Promise<Shown> | undefined;

/** Two attempts, code, metrics, samples, artifacts, and text that is out for trouble; run once for all tests of a file. */
export function richJob(): Promise<Shown> {
  rich ??= sent({ "train.py": RICH, "lib/util.py": "A = 1\nB = 2\n", "odd name's.txt": "x\n" }, "rich", [
    "--retries",
    "1",
    "--retry-on",
    "user_error",
  ]);
  return rich;
}

export async function sent(files: Record<string, string>, name: string, flags: string[] = []): Promise<Shown> {
  const folder = mkdtempSync(join(tmpdir(), "mlp-e2e-"));
  try {
    const { mkdirSync } = await import("node:fs");
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(folder, path, ".."), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const request = ["--project", "vision", "--json", "--name", name, "--package", folder, ...flags];
    const ran = await askStage({ do: "mlp", arguments: ["job", "submit", ...request, "--", "python", "train.py"] });
    if (ran.code !== 0) throw new Error(`mlp job submit: ${ran.out} ${ran.err}`);
    const { id } = JSON.parse(String(ran.out)) as { id: string };
    await untilPhase("vision", id);
    return callApi<Shown>("GET", `/api/v1/projects/vision/jobs/${id}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What the viewer of logs shows from its first line to its last, by scrolling through it. */
export async function shownLines(tab: Tab): Promise<string[]> {
  return tab.page.evaluate(async () => {
    const log = document.querySelector<HTMLElement>("[role=log]");
    if (log === null) throw new Error("there is no log on the page");
    const found = new Map<string, string>();
    const frame = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    log.scrollTop = 0;
    for (;;) {
      await frame();
      for (const row of log.querySelectorAll("[data-row]")) {
        const place = row.querySelector<HTMLElement>("[data-line]")?.dataset.line ?? row.textContent ?? "";
        found.set(place, row.lastElementChild?.textContent ?? row.textContent ?? "");
      }
      if (log.scrollTop + log.clientHeight >= log.scrollHeight - 2) return [...found.values()];
      log.scrollTop += log.clientHeight;
    }
  });
}

export const jobPath = (id: string, search = "") => `/p/vision/jobs/${id}${search}`;
