/** What the browser tests of clusters, models and packages stand on. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { askStage, callApi, type Tab, untilPhase } from "./driver.ts";

const LOOK_AGAIN_MS = 250;

/** The cluster once it is in one of `phases`. */
export async function untilCluster(project: string, id: string, phases: string[], within = 120_000): Promise<void> {
  const deadline = Date.now() + within;
  for (;;) {
    const { phase } = await callApi<{ phase: string }>("GET", `/api/v1/projects/${project}/clusters/${id}`);
    if (phases.includes(phase)) return;
    if (Date.now() > deadline) throw new Error(`cluster ${id} is ${phase}, not ${phases.join(" or ")}, in time`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

const TRAIN = `import mlflow

mlflow.log_params({"depth": 6})
mlflow.log_metric("accuracy", 0.9375)
mlflow.log_metric("loss", float("nan"))
mlflow.log_dict({"weights": [1, 2, 3]}, "model/weights.json")
`;

interface Trained {
  job: string;
  digest: string;
}
const trained = new Map<string, Promise<Trained>>();

/** A job that sent a folder and registered a model of that name; done once for all tests of a file. */
export function trainedModel(project: string, name: string): Promise<Trained> {
  const key = `${project}/${name}`;
  const found = trained.get(key) ?? train(project, name);
  trained.set(key, found);
  return found;
}

async function train(project: string, name: string): Promise<Trained> {
  const folder = mkdtempSync(join(tmpdir(), "mlp-e2e-"));
  try {
    writeFileSync(join(folder, "train.py"), TRAIN);
    const entrypoint = ["--name", name, "--register", name, "--package", folder, "--", "python", "train.py"];
    const ran = await askStage({
      do: "mlp",
      arguments: ["job", "submit", "--project", project, "--json", ...entrypoint],
    });
    if (ran.code !== 0) throw new Error(`mlp job submit: ${ran.out} ${ran.err}`);
    const { id } = JSON.parse(String(ran.out)) as { id: string };
    const ended = await untilPhase(project, id);
    const job = await callApi<{ package: string | null; message: string }>(
      "GET",
      `/api/v1/projects/${project}/jobs/${id}`,
    );
    if (ended.phase !== "succeeded" || job.package === null) throw new Error(`the job of ${name}: ${job.message}`);
    return { job: id, digest: job.package };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Nothing on the page is loading any more. */
export async function settled(tab: Tab): Promise<void> {
  await tab.page.waitForFunction(() => {
    const loading = [...document.querySelectorAll("main [role=status]")];
    return loading.every((element) => !element.textContent?.startsWith("Loading"));
  });
}
