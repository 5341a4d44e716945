import { useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { useMay } from "@/api/me";
import { rowsOf } from "@/api/pages";
import { useReadAgain } from "@/api/read-again";
import { formatCount } from "@/lib/format";
import { paths } from "@/lib/paths";
import { useProject } from "@/shell/project";
import { type Column, DataTable } from "@/ui/DataTable";
import { FilterBar, FilterSelect, FilterText } from "@/ui/Filters";
import { PageHeader } from "@/ui/PageHeader";
import { Status } from "@/ui/Status";
import { Empty, Loadable, NothingMatches } from "@/ui/states";
import { Time } from "@/ui/Time";
import { ENVIRONMENT_PHASES, environmentsRoute } from "./feature";
import { ENVIRONMENTS, type Environment, environmentsQuery } from "./queries";
import { requirementsInWords, titleOf } from "./words";

const HEIGHT = "calc(100dvh - 190px)";
const ANY = "";
const PHASES = [[ANY, "Any phase"], ...ENVIRONMENT_PHASES.map((phase) => [phase, phase] as const)] as const;
const COLUMNS: Column<Environment>[] = [
  { id: "name", header: "Environment", width: "minmax(120px, 1.3fr)", cell: (row) => titleOf(row) },
  { id: "phase", header: "Phase", width: "110px", cell: ({ phase }) => <Status phase={phase} /> },
  { id: "python", header: "Python", width: "66px", cell: ({ python }) => python },
  {
    id: "requirements",
    header: "Requirements",
    width: "minmax(140px, 2fr)",
    fold: "narrow",
    cell: ({ requirements }) => <span title={requirements.join("\n")}>{requirementsInWords(requirements)}</span>,
  },
  {
    id: "jobs",
    header: "Jobs",
    width: "60px",
    align: "end",
    cell: ({ used_by_jobs = 0 }) => formatCount(used_by_jobs),
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
const keyOf = (row: Environment) => row.id;
const noteOf = ({ phase, message }: Environment) =>
  phase === "failed" ? <span title={message}>{message}</span> : null;

/** What the code of the project's jobs needs, each resolved once. */
export function EnvironmentsPage() {
  const project = useProject();
  const { phase, q } = environmentsRoute.useSearch();
  const navigate = environmentsRoute.useNavigate();
  const query = useInfiniteQuery(environmentsQuery(project, { phase, name: q }));
  const mayCreate = useMay(project, "editor");
  useReadAgain(ENVIRONMENTS, "environment");
  const rows = useMemo(() => rowsOf(query.data), [query.data]);
  const hrefOf = useCallback((row: Environment) => paths.environment(project, row.id), [project]);
  const setName = useCallback(
    (name: string) => void navigate({ search: (now) => ({ ...now, q: name || undefined }), replace: true }),
    [navigate],
  );
  return (
    <>
      <PageHeader
        title="Environments"
        meta="What code needs, resolved once to exact versions. Equal requests share one; an environment never changes."
      />
      <FilterBar>
        <FilterText label="Find by name" value={q ?? ""} onChange={setName} />
        <FilterSelect
          label="Phase"
          value={phase ?? ANY}
          options={PHASES}
          onChange={(chosen) =>
            void navigate({ search: (now) => ({ ...now, phase: chosen === ANY ? undefined : chosen }) })
          }
        />
      </FilterBar>
      <Loadable query={query} what="load the environments" height={320}>
        {() =>
          rows.length > 0 ? (
            <DataTable
              label="Environments"
              rows={rows}
              columns={COLUMNS}
              rowKey={keyOf}
              rowHref={hrefOf}
              rowNote={noteOf}
              hasMore={query.hasNextPage}
              isLoading={query.isFetching}
              onMore={query.fetchNextPage}
              height={HEIGHT}
            />
          ) : phase !== undefined || q !== undefined ? (
            <NothingMatches what="environments" onClear={() => void navigate({ search: {} })} />
          ) : (
            <Empty
              title="No environments yet"
              {...(mayCreate ? { command: "mlp environment create base -f requirements.txt" } : {})}
            >
              A job that names its requirements makes one by itself.
            </Empty>
          )
        }
      </Loadable>
    </>
  );
}
