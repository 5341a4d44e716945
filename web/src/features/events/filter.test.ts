import { makeEvent } from "@test/make";
import { describe, expect, it } from "vitest";
import { passes, reasonsOf } from "./filter";

describe("events that a list shows", () => {
  const event = makeEvent({ resource: "cluster", resource_id: "clu_1", reason: "Ready" });

  it.each([
    [{}, true],
    [{ resource: "cluster" }, true],
    [{ resource: "job" }, false],
    [{ resource_id: "clu_1" }, true],
    [{ resource_id: "clu_2" }, false],
    [{ reason: ["Ready", "Failed"] }, true],
    [{ reason: ["Failed"] }, false],
    [{ resource: "cluster", reason: ["Failed"] }, false],
  ])("with %j: %s", (filter, expected) => expect(passes(event, filter)).toBe(expected));

  it("offers what was seen and what is chosen, each once", () => {
    expect(reasonsOf([event, event, makeEvent({ reason: "Admitted" })], ["Failed"])).toEqual([
      "Admitted",
      "Failed",
      "Ready",
    ]);
  });
});
