const STORED_UNDER = "mlp.visits";
/** Coming back within this time is the same visit. */
const SAME_VISIT_MS = 30 * 60_000;
const FIRST_VISIT_LOOKS_BACK_MS = 24 * 3_600_000;

interface Visit {
  /** When the last look at the project was. */
  last: number;
  /** Since when changes are new: the end of the visit before. */
  since: number;
}

/** The visit after a look at `now`, from the one before. Pure. */
export function nextVisit(before: Visit | undefined, now: number): Visit {
  if (before === undefined) return { last: now, since: now - FIRST_VISIT_LOOKS_BACK_MS };
  const isSame = now - before.last < SAME_VISIT_MS;
  return { last: now, since: isSame ? before.since : before.last };
}

/** Note a look at `project`, and say since when changes are new to this person. */
export function visit(user: string, project: string, now = Date.now()): Date {
  const key = `${user}/${project}`;
  const visits = read();
  const made = nextVisit(visits[key], now);
  try {
    localStorage.setItem(STORED_UNDER, JSON.stringify({ ...visits, [key]: made }));
  } catch {
    // Storage is off or full: the next visit looks a day back.
  }
  return new Date(made.since);
}

function read(): Record<string, Visit> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORED_UNDER) ?? "{}");
    if (typeof stored !== "object" || stored === null) return {};
    return Object.fromEntries(Object.entries(stored).filter((entry): entry is [string, Visit] => isVisit(entry[1])));
  } catch {
    return {};
  }
}

function isVisit(value: unknown): value is Visit {
  const visit = value as Visit | null;
  return typeof visit?.last === "number" && typeof visit.since === "number";
}
