import { describe, expect, it } from "vitest";
import { checkSpec, fieldInWords } from "./check";
import { cloneOf } from "./draft";
import { JOB_SCHEMA, kindOf, resolve, type Spec, schemaAt, valueAt, withoutDefaults, withValueAt } from "./schema";
import { freeName, sectionsOf } from "./sections";
import { toLine, toWords } from "./words";

const names = Object.keys(resolve(JOB_SCHEMA).properties ?? {});

describe("the form", () => {
  it("has every field that the platform knows, once", () => {
    const placed = sectionsOf(names).flatMap(({ fields }) => fields);
    expect([...placed].sort()).toEqual([...names].sort());
  });

  it("shows a field that is new in the API", () => {
    expect(sectionsOf([...names, "notify"]).at(-1)).toMatchObject({ title: "More", fields: ["notify"] });
  });

  it.each([
    [["entrypoint"], "command"],
    [["name"], "text"],
    [["kind"], "choice"],
    [["deadline"], "moment"],
    [["environment"], "group"],
    [["environment", "requirements"], "lines"],
    [["environment", "variables"], "pairs"],
    [["resources", "groups"], "list"],
    [["resources", "groups", 0, "gpu"], "number"],
    [["resources", "groups", 0, "labels"], "pairs"],
    [["retries", "on"], "choices"],
    [["model", "register"], "text"],
  ])("edits %j as %s", (path, kind) => expect(kindOf(schemaAt(path))).toBe(kind));

  it("names a new group as no other is", () => {
    expect(freeName([])).toBe("workers");
    expect(freeName([{ name: "workers" }, { name: "workers-2" }])).toBe("workers-3");
  });
});

describe("values of a job", () => {
  it("sets and takes away, with what is empty then around it", () => {
    const spec = withValueAt({ entrypoint: "a" }, ["resources", "groups", 0, "gpu"], 1);
    expect(spec).toEqual({ entrypoint: "a", resources: { groups: [{ gpu: 1 }] } });
    expect(valueAt(spec, ["resources", "groups", 0, "gpu"])).toBe(1);
    expect(withValueAt(spec, ["resources", "groups"], undefined)).toEqual({ entrypoint: "a" });
  });

  it("leaves out what the platform would fill in by itself", () => {
    const full: Spec = {
      name: "digits",
      kind: "script",
      entrypoint: "python train.py",
      environment: { python: "3.11", requirements: [], variables: {}, name: null },
      resources: {
        head: { cpu: 1, memory: "2Gi", pool: "cpu" },
        groups: [{ name: "w", cpu: 1, memory: "2Gi", gpu: 0, replicas: "1", labels: {} }],
      },
      retries: { max: 0, on: [], memory_factor: 1 },
      grace: "30s",
      checkpoint: { interval: "5m" },
      run: { tags: {}, experiment: null },
      model: null,
    };
    expect(withoutDefaults(full)).toEqual({
      name: "digits",
      entrypoint: "python train.py",
      resources: { head: { pool: "cpu" }, groups: [{ name: "w" }] },
      retries: { on: [] },
    });
  });

  it("clones without a deadline that has passed", () => {
    const spec = { entrypoint: "a", deadline: "2026-12-01T08:00:00Z" } as Parameters<typeof cloneOf>[0];
    expect(cloneOf(spec, new Date("2026-12-02T00:00:00Z"))).toEqual({ entrypoint: "a" });
    expect(cloneOf(spec, new Date("2026-11-30T00:00:00Z"))).toEqual(spec);
  });
});

describe("what can be said before the platform is asked", () => {
  it.each<[Spec, string, RegExp]>([
    [{}, "entrypoint", /required/],
    [{ entrypoint: "a", resources: { groups: [{}] } }, "resources.groups.0.name", /required/],
    [{ entrypoint: "a", resources: { groups: [{ name: "w", gpu: 65 }] } }, "resources.groups.0.gpu", /at most 64/],
    [{ entrypoint: "a", resources: { groups: [{ name: "w", gpu: "two" }] } }, "resources.groups.0.gpu", /a number/],
    [{ entrypoint: "a", resources: { head: { memory: "2 GB" } } }, "resources.head.memory", /such as 2Gi/],
    [
      { entrypoint: "a", resources: { groups: [{ name: "w", replicas: "4-8" }] } },
      "resources.groups.0.replicas",
      /1\.\.4/,
    ],
    [{ entrypoint: "a", retries: { max: 1.5 } }, "retries.max", /whole number/],
    [{ entrypoint: "a", timeout: "2 hours" }, "timeout", /such as 1h30m/],
    [{ entrypoint: "a", kind: "tune" }, "kind", /one of script, train/],
    [{ entrypoint: "a", deadline: "2026-12-01T08:00" }, "deadline", /zone/],
    [{ entrypoint: "a", gpus: 1 }, "gpus", /not a field/],
    [{ entrypoint: 5 }, "entrypoint", /line of text/],
  ])("%j: %s", (spec, field, message) => {
    expect(checkSpec(spec)).toContainEqual({ field, message: expect.stringMatching(message) });
  });

  it("finds nothing wrong with a sound job", () => {
    expect(
      checkSpec({
        entrypoint: ["python", "a.py"],
        resources: { head: { cpu: "500m" }, groups: [{ name: "w", cpu: 0.5, replicas: "1..4" }] },
        deadline: "2026-12-01T08:00:00+01:00",
      }),
    ).toEqual([]);
  });

  it("names fields as people do", () => {
    expect(fieldInWords("resources.groups.0.gpu")).toBe("GPUs of worker group 1");
    expect(fieldInWords("resources.head.memory")).toBe("Memory of the head");
    expect(fieldInWords("entrypoint")).toBe("Entrypoint");
  });
});

describe("a command in two forms", () => {
  it("takes a simple line apart, and gives a line that needs a shell to one", () => {
    expect(toWords("python  train.py --lr 0.1")).toEqual(["python", "train.py", "--lr", "0.1"]);
    expect(toWords("a | b")).toEqual(["bash", "-ec", "a | b"]);
    expect(toWords("  ")).toEqual([]);
  });

  it("quotes what a shell would take apart", () => {
    expect(toLine(["python", "a b", "it's", ""])).toBe(`python 'a b' 'it'\\''s' ''`);
  });
});
