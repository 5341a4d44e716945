import { useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { findProject, useMe } from "@/api/me";
import { rowsOf } from "@/api/pages";
import { paths } from "@/lib/paths";
import { useProject } from "@/shell/project";
import { ButtonLink } from "@/ui/Button";
import { type Column, DataTable } from "@/ui/DataTable";
import { FilterBar, FilterText } from "@/ui/Filters";
import { ExternalLink } from "@/ui/icons";
import { PageHeader } from "@/ui/PageHeader";
import { Empty, Loadable, NothingMatches } from "@/ui/states";
import { Time } from "@/ui/Time";
import { Aliases } from "./Aliases";
import { modelsRoute } from "./feature";
import { type Model, modelsQuery } from "./queries";

const HEIGHT = "calc(100dvh - 190px)";
const COLUMNS: Column<Model>[] = [
  { id: "name", header: "Model", width: "minmax(130px, 1.4fr)", cell: ({ name }) => name },
  { id: "latest", header: "Latest", width: "64px", align: "end", cell: ({ latest_version }) => latest_version ?? "–" },
  {
    id: "aliases",
    header: "Aliases",
    width: "minmax(120px, 1.4fr)",
    fold: "narrow",
    cell: ({ aliases = {} }) => (
      <Aliases names={Object.entries(aliases).map(([alias, version]) => `${alias} → ${version}`)} />
    ),
  },
  {
    id: "description",
    header: "Description",
    width: "minmax(140px, 2fr)",
    fold: "medium",
    cell: ({ description }) => <span title={description}>{description || "–"}</span>,
  },
  { id: "updated", header: "Changed", width: "120px", cell: ({ updated_at }) => <Time at={updated_at} /> },
];
const keyOf = (model: Model) => model.name;
const REGISTER = "mlp run train.py --register my-model";

/** The registered models of the project. */
export function ModelsPage() {
  const project = useProject();
  const { q } = modelsRoute.useSearch();
  const navigate = modelsRoute.useNavigate();
  const query = useInfiniteQuery(modelsQuery(project, q));
  const rows = useMemo(() => rowsOf(query.data), [query.data]);
  const hrefOf = useCallback((model: Model) => paths.model(project, model.name), [project]);
  const setName = useCallback(
    (name: string) => void navigate({ search: { q: name || undefined }, replace: true }),
    [navigate],
  );
  const mlflow = findProject(useMe(), project)?.mlflow_url;
  return (
    <>
      <PageHeader
        title="Models"
        meta="What jobs registered, with the job, code and environment that made each version."
        actions={
          mlflow !== undefined && (
            <ButtonLink href={`${mlflow}#/models`} icon={<ExternalLink aria-hidden="true" />}>
              Registry in MLflow
            </ButtonLink>
          )
        }
      />
      <FilterBar>
        <FilterText label="Find by name" value={q ?? ""} onChange={setName} />
      </FilterBar>
      <Loadable query={query} what="load the models" height={320}>
        {() =>
          rows.length > 0 ? (
            <DataTable
              label="Models"
              rows={rows}
              columns={COLUMNS}
              rowKey={keyOf}
              rowHref={hrefOf}
              hasMore={query.hasNextPage}
              isLoading={query.isFetching}
              onMore={query.fetchNextPage}
              height={HEIGHT}
            />
          ) : q !== undefined ? (
            <NothingMatches what="models" onClear={() => setName("")} />
          ) : (
            <Empty title="No models yet" command={REGISTER}>
              A job that succeeds registers the model that its run logged.
            </Empty>
          )
        }
      </Loadable>
    </>
  );
}
