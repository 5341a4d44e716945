import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useCallback, useMemo, useRef, useState } from "react";
import { useMay } from "@/api/me";
import type { Job } from "@/api/stream";
import { formatCount, plural } from "@/lib/format";
import { paths } from "@/lib/paths";
import { useProject } from "@/shell/project";
import { useShortcut } from "@/shortcuts/registry";
import { ButtonLink } from "@/ui/Button";
import { DataTable } from "@/ui/DataTable";
import { Plus } from "@/ui/icons";
import { PageHeader } from "@/ui/PageHeader";
import { Empty, Loadable, NothingMatches } from "@/ui/states";
import { BulkBar } from "./BulkBar";
import { BulkDialog } from "./BulkDialog";
import { type Change, canChange } from "./bulk";
import { columnsOf, waitingNote } from "./columns";
import { FilterBar } from "./FilterBar";
import { FilterChips } from "./FilterChips";
import { jobsRoute } from "./feature";
import styles from "./Jobs.module.css";
import { PhaseChips } from "./PhaseChips";
import { anyJobQuery } from "./queries";
import { activeFilters, DEFAULT_COLUMNS, DEFAULT_ORDER, type JobsSearch, withoutFilters } from "./search";
import { useSettledJobs } from "./useSettledJobs";

const keyOf = (job: Job) => job.id;
const nameOf = (job: Job) => job.name;
const NONE: ReadonlySet<string> = new Set();
/** Keeps the line, so that nothing moves when the number comes. */
const NOT_KNOWN_YET = "\u00a0";

/** All jobs of a project: filtered, sorted and counted by the platform, live, and never moving under the pointer. */
export function JobsPage() {
  const project = useProject();
  const search = jobsRoute.useSearch();
  const navigate = jobsRoute.useNavigate();
  const mayChange = useMay(project, "editor");
  const list = useSettledJobs(project, search);
  const [selected, setSelected] = useState<ReadonlySet<string>>(NONE);
  const [asking, setAsking] = useState<{ change: Change; jobs: readonly Job[] } | null>(null);
  const area = useRef<HTMLDivElement>(null);

  const change = useCallback(
    (next: JobsSearch, replace = false) => void navigate({ search: next, replace }),
    [navigate],
  );
  const chosen = useMemo(() => list.jobs.filter(({ id }) => selected.has(id)), [list.jobs, selected]);
  const ask = (what: Change) => {
    const jobs = chosen.length > 0 ? chosen : focusedJob(area.current, list.jobs);
    if (mayChange && jobs.some((job) => canChange(what, job))) setAsking({ change: what, jobs });
  };
  useJobsShortcuts(project, area, mayChange, ask);
  const { fresh, gone, readAnew } = list;
  // What is new stands at the top: who asks for it must not be left where the list was scrolled to.
  const readFromTop = async () => {
    await readAnew();
    const table = area.current?.querySelector("[role=table]");
    if (table != null) table.scrollTop = 0;
  };

  return (
    <div className={styles.page}>
      <PageHeader
        title="Jobs"
        meta={list.total === null ? NOT_KNOWN_YET : totalInWords(list.total)}
        actions={
          mayChange && (
            <ButtonLink kind="primary" href={paths.newJob(project)} icon={<Plus aria-hidden="true" />}>
              New job
            </ButtonLink>
          )
        }
      />
      <FilterBar project={project} search={search} onChange={change} />
      <div>
        <PhaseChips project={project} search={search} onChange={change} news={{ fresh, gone, readAnew: readFromTop }} />
        <FilterChips search={search} onChange={change} />
      </div>
      <div className={styles.list} ref={area}>
        <Loadable query={list.query} what="load the jobs" height="100%">
          {() => (
            <Rows
              project={project}
              search={search}
              list={list}
              selected={selected}
              onSelect={setSelected}
              onChange={change}
            />
          )}
        </Loadable>
        {chosen.length > 0 && (
          <BulkBar
            project={project}
            jobs={chosen}
            mayChange={mayChange}
            onChange={ask}
            onClear={() => setSelected(NONE)}
          />
        )}
      </div>
      {asking !== null && (
        <BulkDialog
          project={project}
          {...asking}
          onClose={() => setAsking(null)}
          onDone={(refused) => setSelected(new Set(refused.map(keyOf)))}
        />
      )}
    </div>
  );
}

interface RowsProps {
  project: string;
  search: JobsSearch;
  list: ReturnType<typeof useSettledJobs>;
  selected: ReadonlySet<string>;
  onSelect: (selected: ReadonlySet<string>) => void;
  onChange: (search: JobsSearch) => void;
}

function Rows({ project, search, list, selected, onSelect, onChange }: RowsProps) {
  const { query, jobs, total } = list;
  const chosenColumns = search.columns ?? DEFAULT_COLUMNS;
  const columns = useMemo(() => columnsOf(chosenColumns), [chosenColumns]);
  const hrefOf = useCallback((job: Job) => paths.job(project, job.id), [project]);
  if (jobs.length === 0 && !query.isFetching) {
    return activeFilters(search).length > 0 ? (
      <NothingMatches what="jobs" onClear={() => onChange(withoutFilters(search))} />
    ) : (
      <NoJobs project={project} />
    );
  }
  return (
    <DataTable
      label="Jobs"
      rows={jobs}
      columns={columns}
      rowKey={keyOf}
      rowName={nameOf}
      rowHref={hrefOf}
      rowNote={waitingNote}
      order={search.sort ?? DEFAULT_ORDER}
      onOrder={(order) =>
        onChange({ ...search, sort: order === DEFAULT_ORDER ? undefined : (order as JobsSearch["sort"]) })
      }
      selected={selected}
      onSelect={onSelect}
      hasMore={query.hasNextPage}
      isLoading={query.isFetching}
      onMore={query.fetchNextPage}
      total={total}
      height="100%"
    />
  );
}

/** Nothing is listed without any filter: there is none yet, or the last ones have just gone. */
function NoJobs({ project }: { project: string }) {
  const any = useQuery(anyJobQuery(project));
  const mayCreate = useMay(project, "editor");
  if (any.data !== undefined && any.data.items.length > 0) return <Empty title="No jobs now" />;
  if (!mayCreate) return <Empty title="No jobs yet">An editor of this project can run jobs.</Empty>;
  return (
    <Empty
      title="No jobs yet"
      command="mlp run train.py"
      action={<ButtonLink href={paths.newJob(project)}>New job</ButtonLink>}
    >
      Run a script from the folder it stands in, or fill in the form.
    </Empty>
  );
}

/** `1,204 jobs`, or that there are more than are counted. */
function totalInWords(total: number): string {
  return total >= 10_000 ? `More than ${formatCount(10_000)} jobs` : plural(total, "job");
}

/** The job of the row that has the focus. */
function focusedJob(area: HTMLElement | null, jobs: readonly Job[]): readonly Job[] {
  const row = document.activeElement?.closest<HTMLElement>("[data-index]");
  const job = area?.contains(row ?? null) === true ? jobs[Number(row?.dataset.index)] : undefined;
  return job === undefined ? [] : [job];
}

function useJobsShortcuts(
  project: string,
  area: React.RefObject<HTMLDivElement | null>,
  mayChange: boolean,
  ask: (change: Change) => void,
): void {
  const router = useRouter();
  const enter = () => area.current?.querySelector<HTMLElement>("[data-row-focus][tabindex='0']")?.focus();
  useShortcut("/", "Search in the list", "Jobs", () => document.getElementById("jobs-search")?.focus());
  useShortcut("j", "Go to the rows, and to the next one", "Jobs", enter);
  useShortcut("k", "Go to the rows, and to the one before", "Jobs", enter);
  useShortcut("c", "Cancel the selected jobs", "Jobs", () => ask("cancel"), mayChange);
  useShortcut("r", "Retry the selected jobs", "Jobs", () => ask("retry"), mayChange);
  useShortcut("n", "New job", "Jobs", () => router.history.push(paths.newJob(project)), mayChange);
}
