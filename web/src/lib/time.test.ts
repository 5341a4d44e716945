import { describe, expect, it } from "vitest";
import { formatInstant, formatRelative, zoneName } from "./time";

const at = (text: string) => new Date(text);
const NOW = at("2026-12-01T12:00:00Z");

describe("moments", () => {
  it("has 24 hours and names its zone", () => {
    expect(formatInstant(at("2026-12-01T21:05:03Z"), "utc")).toBe("2026-12-01 21:05:03 UTC");
    expect(formatInstant(at("2026-12-01T21:05:03+02:00"), "utc")).toBe("2026-12-01 19:05:03 UTC");
  });

  it("gives the local zone as an offset", () => {
    expect(zoneName(NOW, "local")).toMatch(/^[+−]\d{2}:\d{2}$/);
  });

  it.each([
    ["2026-12-01T12:00:00Z", "just now"],
    ["2026-12-01T11:59:20Z", "40 s ago"],
    ["2026-12-01T11:55:00Z", "5 min ago"],
    ["2026-12-01T09:00:00Z", "3 h ago"],
    ["2026-11-29T12:00:00Z", "2 d ago"],
    ["2026-01-05T12:00:00Z", "2026-01-05"],
    ["2026-12-01T12:05:00Z", "in 5 min"],
    ["nonsense", "–"],
  ])("%s reads %s", (moment, expected) => expect(formatRelative(at(moment), NOW)).toBe(expected));
});
