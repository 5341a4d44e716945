/** Named filters, kept per person and project in this browser. A view is an address, so sharing one is sharing its link. */

const STORED_UNDER = "mlp.job-views";
const MOST = 50;

export interface View {
  name: string;
  /** The search part of the address, with its `?`; empty for all jobs. */
  search: string;
}

type Stored = Record<string, View[]>;

export function readViews(user: string, project: string): View[] {
  return readAll()[`${user}/${project}`] ?? [];
}

/** Keep `view`; one of the same name is replaced. Says what there is then. */
export function keepView(user: string, project: string, view: View): View[] {
  const others = readViews(user, project).filter(({ name }) => name !== view.name);
  return write(user, project, [...others, view].sort((a, b) => a.name.localeCompare(b.name)).slice(0, MOST));
}

export function forgetView(user: string, project: string, name: string): View[] {
  return write(
    user,
    project,
    readViews(user, project).filter((view) => view.name !== name),
  );
}

function write(user: string, project: string, views: View[]): View[] {
  try {
    localStorage.setItem(STORED_UNDER, JSON.stringify({ ...readAll(), [`${user}/${project}`]: views }));
  } catch {
    // Storage is off or full: the views last as long as the page.
  }
  return views;
}

function readAll(): Stored {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORED_UNDER) ?? "{}");
    if (typeof stored !== "object" || stored === null) return {};
    return Object.fromEntries(Object.entries(stored).map(([key, views]) => [key, soundViews(views)]));
  } catch {
    return {}; // storage is off, or holds something else
  }
}

function soundViews(views: unknown): View[] {
  if (!Array.isArray(views)) return [];
  return views.filter(
    (view): view is View =>
      typeof view?.name === "string" &&
      typeof view.search === "string" &&
      (view.search === "" || view.search.startsWith("?")),
  );
}
