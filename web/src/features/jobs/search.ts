/** What the list shows is in its address; this says which parts there are, and what they mean to the platform. Pure. */
import type { components, paths } from "@openapi";
import { type Codec, defineSearch, listOf, oneOf, text } from "@/lib/search";
import { JOB_PHASES } from "@/ui/status";

type Schemas = components["schemas"];

export const KINDS: readonly Schemas["JobKind"][] = ["script", "train"];
export const FAILURE_CLASSES: readonly Schemas["FailureClass"][] = [
  "user_error",
  "oom",
  "timeout",
  "environment",
  "image",
  "quota",
  "preempted",
  "node_lost",
  "infra",
];
export const COLUMN_IDS = [
  "name",
  "status",
  "owner",
  "created",
  "duration",
  "resources",
  "attempt",
  "kind",
  "priority",
  "exit",
  "started",
  "ended",
  "cluster",
  "package",
  "run",
  "model",
  "id",
] as const;
export type ColumnId = (typeof COLUMN_IDS)[number];
export const DEFAULT_COLUMNS: readonly ColumnId[] = ["name", "status", "owner", "created", "duration", "resources"];

const ORDERS = ["created_at", "name", "phase", "kind", "created_by", "started_at", "ended_at"] as const;
export const DEFAULT_ORDER = "-created_at";
const SORTS = ORDERS.flatMap((order) => [order, `-${order}`] as const);

/** A moment as the platform takes it: `24h` back from now, or an instant with its zone. */
function moment(): Codec<string> {
  return (raw) => {
    const value = text(40)(raw);
    if (value === undefined) return undefined;
    const isBack = /^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(value);
    const isInstant = /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(value) && !Number.isNaN(Date.parse(value));
    return isBack || isInstant ? value : undefined;
  };
}

export const readJobsSearch = defineSearch({
  q: text(200),
  phase: listOf(oneOf(JOB_PHASES)),
  kind: listOf(oneOf(KINDS)),
  failure: listOf(oneOf(FAILURE_CLASSES)),
  by: text(100),
  cluster: text(64),
  package: text(71),
  since: moment(),
  until: moment(),
  sort: oneOf(SORTS),
  columns: listOf(oneOf(COLUMN_IDS)),
});
export type JobsSearch = ReturnType<typeof readJobsSearch>;

/** The filters of `search`, apart from how they are shown. */
const FILTERS = ["q", "phase", "kind", "failure", "by", "cluster", "package", "since", "until"] as const;
export type FilterName = (typeof FILTERS)[number];

export function activeFilters(search: JobsSearch): FilterName[] {
  return FILTERS.filter((name) => search[name] !== undefined);
}

export function withoutFilters(search: JobsSearch): JobsSearch {
  return { sort: search.sort, columns: search.columns };
}

type ListQuery = NonNullable<paths["/api/v1/projects/{project}/jobs"]["get"]["parameters"]["query"]>;

/** What the platform is asked for. */
export function toQuery(search: JobsSearch): ListQuery {
  return { ...toCountQuery(search), phase: search.phase, order_by: search.sort ?? DEFAULT_ORDER };
}

/** The same without the phase: each phase is counted as if it alone were chosen. */
export function toCountQuery(search: JobsSearch): Omit<ListQuery, "phase" | "order_by" | "cursor" | "limit"> {
  return {
    search: search.q?.trim() || undefined,
    kind: search.kind,
    failure: search.failure,
    created_by: search.by,
    cluster: search.cluster,
    package: search.package,
    since: search.since,
    until: search.until,
  };
}

/** Whether `chosen` columns are the usual ones, which the address need not name. */
export function columnsForAddress(chosen: readonly ColumnId[]): ColumnId[] | undefined {
  const usual = chosen.length === DEFAULT_COLUMNS.length && chosen.every((id, index) => id === DEFAULT_COLUMNS[index]);
  return usual || chosen.length === 0 ? undefined : [...chosen];
}

/** In words, for the chip that takes it away. */
export function filterInWords(name: FilterName, search: JobsSearch): string {
  const value = search[name];
  const words = Array.isArray(value) ? value.map((word) => word.replaceAll("_", " ")).join(", ") : String(value ?? "");
  switch (name) {
    case "q":
      return `“${words}”`;
    case "by":
      return `by ${words}`;
    case "since":
      return /^\d{4}-/.test(words) ? `created since ${words}` : `created in the last ${words}`;
    case "until":
      return `created before ${words}`;
    case "failure":
      return `failed by ${words}`;
    case "package":
      return `package ${words.replace("sha256:", "").slice(0, 12)}`;
    default:
      return `${name} ${words}`;
  }
}
