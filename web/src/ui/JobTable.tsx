import type { components } from "@openapi";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { type JobFilter, jobsQuery } from "@/api/jobs";
import { rowsOf } from "@/api/pages";
import { paths } from "@/lib/paths";
import { type Column, DataTable } from "./DataTable";
import { Status } from "./Status";
import { Loadable } from "./states";
import { inWords } from "./status";
import { Time } from "./Time";

type Job = components["schemas"]["JobRead"];

const PAGE = 50;
const TALLEST = 340;
const SHORT = 8;
const COLUMNS: Column<Job>[] = [
  { id: "name", header: "Job", width: "minmax(120px, 2fr)", cell: ({ name }) => name },
  {
    id: "phase",
    header: "Phase",
    width: "130px",
    cell: ({ phase, failure }) => <Status phase={phase}>{failure ? inWords(failure.class) : undefined}</Status>,
  },
  { id: "who", header: "By", width: "minmax(80px, 1fr)", fold: "medium", cell: ({ created_by }) => created_by },
  {
    id: "created",
    header: "Created",
    width: "120px",
    fold: "narrow",
    cell: ({ created_at }) => <Time at={created_at} />,
  },
];
const keyOf = (job: Job) => job.id;

interface JobTableProps {
  project: string;
  /** Names the table: "Jobs on this cluster". */
  label: string;
  /** The same object between renders. */
  filter: JobFilter;
  /** The sentence for none. */
  none: string;
  className?: string | undefined;
}

/** The jobs that have to do with something, newest first; part of a page about something else. */
export function JobTable({ project, label, filter, none, className }: JobTableProps) {
  const query = useInfiniteQuery(jobsQuery(project, filter, PAGE));
  const rows = useMemo(() => rowsOf(query.data), [query.data]);
  const hrefOf = useMemo(() => (job: Job) => paths.job(project, job.id), [project]);
  return (
    <Loadable query={query} what="load the jobs" height={110}>
      {() =>
        rows.length === 0 ? (
          <p className={className}>{none}</p>
        ) : (
          <DataTable
            label={label}
            rows={rows}
            columns={COLUMNS}
            rowKey={keyOf}
            rowHref={hrefOf}
            hasMore={query.hasNextPage}
            isLoading={query.isFetching}
            onMore={query.fetchNextPage}
            {...(rows.length > SHORT ? { height: TALLEST } : {})}
          />
        )
      }
    </Loadable>
  );
}
