import { describe, expect, it } from "vitest";
import { toCommand } from "./copy-as/cli";
import { toCurl } from "./copy-as/curl";
import { toPython } from "./copy-as/python";
import type { Spec } from "./schema";
import { fromYaml, toYaml } from "./yaml";

const DIGEST = `sha256:${"0123456789abcdef".repeat(4)}`;

/** Jobs that are easy to get wrong. `tests/web/test_copy_as.py` runs what is made of them with the real programs. */
const JOBS: Record<string, Spec> = {
  "a shell line": { entrypoint: "python train.py --epochs 5" },
  "exact arguments": {
    name: "argv",
    entrypoint: [
      "python",
      "show.py",
      "--name",
      "a b",
      "$HOME",
      "*.py",
      '{"lr": 0.1}',
      "",
      "it's",
      "two\nlines",
      "é\u2028–",
    ],
  },
  "a line that a shell could expand": {
    entrypoint: "echo \"$HOME\" 'x y' `date` \\n | tee out.log && test -f out.log # done",
    name: "quotes: 'single', \"double\"",
  },
  "several lines": { entrypoint: "set +e\npython prep.py\n\npython train.py \\\n  --lr 0.1\n", kind: "train" },
  "lines with blanks at their ends": { entrypoint: " begins with a blank\nends with one \n\n" },
  "words that YAML takes for something else": {
    entrypoint: "python train.py",
    name: "1_000",
    environment: {
      python: "3.10",
      variables: {
        ON: "on",
        YES: "yes",
        NULL: "null",
        TILDE: "~",
        INT: "007",
        FLOAT: "1e3",
        EMPTY: "",
        COLON: "a: b",
        HASH: "x #y",
      },
    },
    run: { experiment: "no", tags: { team: "true", "a b": "- c", "with=sign": "[1, 2]" } },
  },
  "one group of workers": {
    name: "digits",
    kind: "train",
    entrypoint: "python train.py",
    environment: { requirements: ["xgboost-cpu==3.2.0", "numpy<3"], variables: { OMP_NUM_THREADS: "1" } },
    resources: {
      head: { cpu: 2, memory: "4Gi" },
      groups: [{ name: "workers", replicas: "1..4", gpu: 1, cpu: 4, memory: "16Gi", pool: "gpu" }],
    },
    priority: "high",
    timeout: "2h",
    deadline: "2030-12-01T08:00:00Z",
    grace: "1m30s",
    retries: { max: 3, on: ["oom", "node_lost"], memory_factor: 1.5 },
    run: { experiment: "digits", tags: { team: "vision" } },
    model: { register: "digits-classifier" },
  },
  "what no flag can say": {
    entrypoint: "python train.py",
    package: DIGEST,
    resources: {
      groups: [
        { name: "preprocess", pool: "cpu", replicas: "2", labels: { zone: "a" } },
        { name: "train", gpu: 0.5, memory: "1.5Gi" },
      ],
    },
    retries: { on: [] },
    checkpoint: { interval: "30s" },
    model: { register: "digits", from: "out/model" },
  },
  "a head without workers": { entrypoint: "true", resources: { head: { cpu: 0.5, memory: "512Mi", pool: "cpu" } } },
  "a cluster that is there": {
    entrypoint: "python -m tools.check",
    cluster: "shared",
    environment: { name: "base-env" },
  },
};

const made = Object.entries(JOBS).map(([name, spec]) => ({
  name,
  spec,
  yaml: toYaml(spec),
  cli: toCommand(spec, "demo"),
  python: toPython(spec, "demo"),
  curl: toCurl(spec, "demo", "http://platform.test"),
}));

describe("copying a job", () => {
  it("is what the test with the real programs was given", async () => {
    await expect(`${made.map((job) => JSON.stringify(job)).join("\n")}\n`).toMatchFileSnapshot(
      "./copy-as/round-trip.jsonl",
    );
  });

  it.each(Object.entries(JOBS))("reads the YAML of %s back", (_, spec) => {
    const reading = fromYaml(toYaml(spec));
    expect(reading.problem).toBeNull();
    expect(reading.spec).toEqual(spec);
  });

  it("uses flags where they can say all of it", () => {
    const commands = Object.fromEntries(made.map(({ name, cli }) => [name, cli]));
    expect(commands["one group of workers"]).not.toContain("cat > mlp.yaml");
    expect(commands["what no flag can say"]).toContain("cat > mlp.yaml");
    expect(commands["a shell line"]).toContain("--no-package");
  });

  it("ends a here-document at a word that the text does not have", () => {
    const spec = { entrypoint: ["cat", "EOF\nEOF_"] };
    expect(toCurl(spec, "demo", "http://p")).toMatch(/<<'EOF'\n[\s\S]*\nEOF$/);
    expect(toCommand({ entrypoint: "a\nEOF\nb\n", package: DIGEST }, "demo")).toMatch(/<<'EOF'[\s\S]*\nEOF\n/);
  });
});

describe("reading YAML", () => {
  it("says the line of a mistake", () => {
    expect(fromYaml("name: a\nentrypoint: [x").problem?.line).toBeGreaterThanOrEqual(2);
    expect(fromYaml("name: a\nname: b").problem).toEqual({ line: 2, message: expect.stringContaining("unique") });
    expect(fromYaml("- a").problem?.line).toBe(1);
  });

  it("knows the line of each field, or of what stands around it", () => {
    const reading = fromYaml("entrypoint: a\nresources:\n  groups:\n    - name: w\n      gpu: 99\n");
    expect(reading.problem).toBeNull();
    if (reading.problem !== null) return;
    expect(reading.lineOf("resources.groups.0.gpu")).toBe(5);
    expect(reading.lineOf("resources.groups.0.memory")).toBe(4);
    expect(reading.lineOf("timeout")).toBeNull();
  });

  it("refuses what only a file on a disk can mean", () => {
    expect(fromYaml("entrypoint: a\npackage: .").problem?.line).toBe(2);
    expect(fromYaml("environment:\n  requirements: requirements.txt").problem?.line).toBe(2);
    expect(fromYaml("environment: base").spec).toEqual({ environment: { name: "base" } });
    expect(fromYaml("package: null\nentrypoint: a").spec).toEqual({ entrypoint: "a" });
  });

  it("takes only true and false for truth values", () => {
    expect(fromYaml("retries: {on: [oom]}").spec).toEqual({ retries: { on: ["oom"] } });
  });
});
