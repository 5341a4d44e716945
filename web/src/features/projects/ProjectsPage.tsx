import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Project } from "@/api/me";
import { paths } from "@/lib/paths";
import { type Column, DataTable } from "@/ui/DataTable";
import { TextField } from "@/ui/Field";
import { PageHeader } from "@/ui/PageHeader";
import { Empty, Loadable, NothingMatches } from "@/ui/states";
import { Time } from "@/ui/Time";
import { projectsRoute } from "./feature";
import styles from "./ProjectsPage.module.css";
import { projectsQuery } from "./queries";

const COLUMNS: Column<Project>[] = [
  { id: "name", header: "Project", width: "minmax(140px, 1.2fr)", cell: ({ name }) => name },
  {
    id: "description",
    header: "Description",
    width: "minmax(160px, 2fr)",
    fold: "narrow",
    cell: ({ description }) => description,
  },
  { id: "team", header: "Team", width: "130px", fold: "medium", cell: ({ team }) => team },
  { id: "role", header: "Your role", width: "100px", cell: ({ role }) => role ?? "administrator" },
  { id: "jobs", header: "Live jobs", width: "80px", align: "end", cell: ({ live_jobs }) => live_jobs },
  {
    id: "created",
    header: "Created",
    width: "190px",
    fold: "medium",
    cell: ({ created_at }) => <Time at={created_at} />,
  },
];
const keyOf = (project: Project) => project.id;
const hrefOf = (project: Project) => paths.home(project.name);

/** All projects that the person can see. */
export function ProjectsPage() {
  const { q = "" } = projectsRoute.useSearch();
  const navigate = projectsRoute.useNavigate();
  const query = useInfiniteQuery(projectsQuery());
  const projects = useMemo(() => query.data?.pages.flatMap((page) => page.items) ?? [], [query.data]);
  const shown = useMemo(() => projects.filter((project) => matches(project, q)), [projects, q]);
  const search = (text: string) => void navigate({ search: { q: text || undefined }, replace: true });
  return (
    <>
      <PageHeader title="Projects" />
      <div className={styles.filter}>
        <TextField label="Find" type="search" value={q} onChange={search} />
      </div>
      <Loadable query={query} what="load the projects" height={320}>
        {() =>
          projects.length === 0 ? (
            <Empty title="You are in no project yet">
              An administrator, or an owner of a project, can add you to one.
            </Empty>
          ) : shown.length === 0 && !query.hasNextPage ? (
            <NothingMatches what="projects" onClear={() => search("")} />
          ) : (
            <DataTable
              label="Projects"
              rows={shown}
              columns={COLUMNS}
              rowKey={keyOf}
              rowHref={hrefOf}
              hasMore={query.hasNextPage}
              isLoading={query.isFetching}
              onMore={query.fetchNextPage}
            />
          )
        }
      </Loadable>
    </>
  );
}

function matches({ name, description, team }: Project, text: string): boolean {
  const wanted = text.trim().toLowerCase();
  return [name, description, team].some((field) => field.toLowerCase().includes(wanted));
}
