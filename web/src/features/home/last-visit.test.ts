import { describe, expect, it } from "vitest";
import { nextVisit } from "./last-visit";

const HOUR = 3_600_000;

describe("what is new since the last visit", () => {
  it("looks a day back at the first one", () => {
    expect(nextVisit(undefined, 100 * HOUR).since).toBe(76 * HOUR);
  });

  it("begins where the visit before ended", () => {
    const first = nextVisit(undefined, 100 * HOUR);
    expect(nextVisit(first, 110 * HOUR).since).toBe(100 * HOUR);
  });

  it("stays the same while one comes and goes within one visit", () => {
    let visit = nextVisit({ last: 90 * HOUR, since: 80 * HOUR }, 100 * HOUR);
    for (let minutes = 10; minutes < 120; minutes += 10) visit = nextVisit(visit, 100 * HOUR + minutes * 60_000);
    expect(visit.since).toBe(90 * HOUR);
  });
});
