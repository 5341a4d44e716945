import { makeJob } from "@test/make";
import { describe, expect, it } from "vitest";
import type { Attempt, Failure } from "../queries";
import { evidenceOf, failureTitle, nextStep } from "./failure";
import { commandText, coresOf, nodeKinds } from "./shape";
import { placeOf, timelineOf } from "./timeline";
import { helpFor, isLong, ordinal } from "./wait";

const at = (second: number) => new Date(Date.UTC(2026, 11, 1, 9, 0, second)).toISOString();
const ms = (second: number) => Date.parse(at(second));
const attempt = (over: Partial<Attempt>): Attempt => ({
  id: "att_1",
  number: 1,
  phase: "running",
  outcome: null,
  reason: "",
  message: "",
  memory_factor: 1,
  created_at: at(10),
  started_at: null,
  ended_at: null,
  ...over,
});

describe("the timeline", () => {
  it("of a job that waits has one growing bar", () => {
    const timeline = timelineOf(makeJob({ phase: "queued", created_at: at(0), attempt: 0 }), [], ms(30));
    expect(timeline.rows).toEqual([
      {
        attempt: 0,
        state: "queued",
        message: "The job runs.",
        spans: [{ kind: "waiting", from: ms(0), to: ms(30), isOpen: true }],
      },
    ]);
  });

  it("says when each attempt waited, started and ran, and that the next one waits", () => {
    const failed = attempt({ started_at: at(14), ended_at: at(20), outcome: "failed" });
    const job = makeJob({ phase: "queued", created_at: at(0), attempt: 1, ended_at: null });
    const { rows } = timelineOf(job, [failed], ms(25));
    expect(rows.map(({ attempt: number, state }) => [number, state])).toEqual([
      [1, "failed"],
      [0, "queued"],
    ]);
    expect(rows[0]?.spans.map(({ kind, from, to }) => [kind, from - ms(0), to - ms(0)])).toEqual([
      ["waiting", 0, 10_000],
      ["starting", 10_000, 14_000],
      ["running", 14_000, 20_000],
    ]);
    expect(rows[1]?.spans[0]?.from).toBe(ms(20));
  });

  it("shows sealing as a part of its own", () => {
    const job = makeJob({ phase: "sealing", created_at: at(0), phase_since: at(40), attempt: 1, ended_at: null });
    const { rows } = timelineOf(job, [attempt({ started_at: at(12) })], ms(43));
    expect(rows[0]?.spans.map(({ kind }) => kind)).toEqual(["waiting", "starting", "running", "sealing"]);
  });

  it("keeps a very short span visible and inside", () => {
    const whole = { from: 0, to: 1_000_000 };
    const { left, width } = placeOf({ kind: "starting", from: 1_000_000, to: 1_000_000, isOpen: false }, whole);
    expect(width).toBeGreaterThan(0);
    expect(left + width).toBeLessThanOrEqual(100);
  });
});

describe("waiting", () => {
  it.each(["NoRoom", "ProjectLimit", "OnHold", "ResolvingEnvironment", "SomethingNew", "constructor"])(
    "for %s has somebody who can help and something to do",
    (reason) => {
      const help = helpFor(reason);
      expect([help.kind, help.who, help.next].every((text) => text.length > 0)).toBe(true);
    },
  );

  it.each([
    [1, "1st"],
    [2, "2nd"],
    [3, "3rd"],
    [11, "11th"],
    [112, "112th"],
    [23, "23rd"],
  ])("in place %i reads %s", (place, text) => expect(ordinal(place)).toBe(text));

  it("is called long only beside what is usual", () => {
    expect(isLong(0, undefined, 1e9)).toBe(false);
    expect(isLong(0, 100, 150_000)).toBe(false);
    expect(isLong(0, 100, 250_000)).toBe(true);
    expect(isLong(0, 1, 30_000)).toBe(false);
  });
});

describe("a failure", () => {
  const failure = (over: Partial<Failure>): Failure => ({ class: "user_error", message: "exit 3", ...over });

  it("shows what is known and nothing else", () => {
    expect(evidenceOf(failure({ exit_code: 3 }))).toEqual([["Exit code", "3"]]);
    expect(
      evidenceOf(
        failure({
          signal: 9,
          signal_name: "SIGKILL",
          memory_used_bytes: 2 ** 30,
          memory_limit_bytes: 2 ** 30,
          node: "train-0",
        }),
      ),
    ).toEqual([
      ["Signal", "SIGKILL (9)"],
      ["Memory", "1 GiB of 1 GiB"],
      ["Node", "train-0"],
    ]);
  });

  it("has a title and a next step also without a hint, and for a class of a newer platform", () => {
    expect(nextStep(failure({ class: "oom" }))).toMatch(/memory/);
    expect(nextStep(failure({ hint: "Do this." }))).toBe("Do this.");
    expect(failureTitle(failure({ class: "new_one" as Failure["class"] }))).not.toBe("");
  });
});

describe("what is asked for", () => {
  const spec = {
    ...makeJob().spec,
    resources: {
      head: { cpu: 1, memory: "2Gi", pool: null },
      groups: [{ name: "train", replicas: "1..4", cpu: 4, memory: "16Gi", gpu: 1, pool: "gpu" }],
    },
  };

  it("is one line a kind of node, without a head on a shared cluster", () => {
    expect(nodeKinds(spec).map(({ name, nodes, pool }) => [name, nodes, pool])).toEqual([
      ["head", "1", "default CPU pool"],
      ["train", "1..4", "gpu"],
    ]);
    expect(nodeKinds({ ...spec, cluster: "shared" }).map(({ name }) => name)).toEqual(["train"]);
  });

  it("gives the cores of a node by its name", () => {
    expect([coresOf(spec, "head"), coresOf(spec, "train-3"), coresOf(spec, "other-0")]).toEqual([1, 4, undefined]);
  });

  it("is quoted so that a shell runs the same", () => {
    expect(commandText(["python", "show.py", "--name", "a b", "it's"])).toBe(`python show.py --name 'a b' 'it'"'"'s'`);
    expect(commandText("echo a && b")).toBe("echo a && b");
  });
});
