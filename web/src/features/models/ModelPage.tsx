import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { rowsOf } from "@/api/pages";
import { paths } from "@/lib/paths";
import { useProject } from "@/shell/project";
import { Button, ButtonLink } from "@/ui/Button";
import { FilterSelect } from "@/ui/Filters";
import { ExternalLink } from "@/ui/icons";
import { PageHeader } from "@/ui/PageHeader";
import { Panel } from "@/ui/Panel";
import { Loadable, NotFound } from "@/ui/states";
import { Time } from "@/ui/Time";
import { Aliases } from "./Aliases";
import { modelRoute } from "./feature";
import styles from "./Model.module.css";
import { metricNames } from "./metrics";
import { type Model, modelQuery, type Version, versionsQuery } from "./queries";
import { VersionDetails } from "./VersionDetails";
import { VersionTable } from "./VersionTable";

/** One registered model: its versions, how their metrics compare, and where each came from. */
export function ModelPage() {
  const project = useProject();
  const { model: name } = modelRoute.useParams();
  const query = useQuery(modelQuery(project, name));
  const versions = useInfiniteQuery(versionsQuery(project, name));
  const model = query.data;
  const rows = useMemo(() => rowsOf(versions.data), [versions.data]);
  return (
    <>
      <PageHeader
        title={name}
        above={[{ label: "Models", href: paths.models(project) }]}
        meta={model && <Meta model={model} />}
        actions={
          model && (
            <ButtonLink href={model.url} icon={<ExternalLink aria-hidden="true" />}>
              Open in MLflow
            </ButtonLink>
          )
        }
      />
      <Loadable query={query} what="load this model" height={120}>
        {({ description }) => (description === "" ? null : <p className={styles.description}>{description}</p>)}
      </Loadable>
      {query.error === null && (
        <Loadable query={versions} what="load its versions" height={320}>
          {() =>
            rows.length === 0 ? (
              <Panel title="Versions">
                <p className={styles.quiet}>It has no version. A job that registers this name makes one.</p>
              </Panel>
            ) : (
              <div className={styles.page}>
                <Versions project={project} model={name} rows={rows} />
                {versions.hasNextPage && (
                  <div className={styles.more}>
                    <Button busy={versions.isFetchingNextPage} onClick={() => void versions.fetchNextPage()}>
                      Older versions
                    </Button>
                  </div>
                )}
              </div>
            )
          }
        </Loadable>
      )}
    </>
  );
}

function Meta({ model }: { model: Model }) {
  const aliases = Object.entries(model.aliases ?? {});
  return (
    <>
      {aliases.length > 0 && <Aliases names={aliases.map(([alias, version]) => `${alias} → ${version}`)} />}
      <span>
        made <Time at={model.created_at} />
      </span>
      <span>
        changed <Time at={model.updated_at} />
      </span>
    </>
  );
}

interface VersionsProps {
  project: string;
  model: string;
  rows: readonly Version[];
}

function Versions({ project, model, rows }: VersionsProps) {
  const { version, metric } = modelRoute.useSearch();
  const navigate = modelRoute.useNavigate();
  const names = useMemo(() => metricNames(rows), [rows]);
  const compared = metric ?? names[0];
  const shown = version === undefined ? rows[0] : rows.find((row) => row.version === version);
  return (
    <>
      <Panel
        title="Versions"
        flush
        aside={
          compared !== undefined && (
            <FilterSelect
              label="Metric to compare"
              value={compared}
              options={[...new Set([compared, ...names])].map((one): [string, string] => [one, one])}
              onChange={(chosen) => void navigate({ search: (now) => ({ ...now, metric: chosen }), replace: true })}
            />
          )
        }
      >
        <VersionTable
          project={project}
          model={model}
          rows={rows}
          metric={compared}
          chosenMetric={metric}
          shown={shown}
        />
      </Panel>
      {shown === undefined ? (
        <NotFound detail={`Version ${version} is not among those that were read.`} />
      ) : (
        <VersionDetails project={project} version={shown} />
      )}
    </>
  );
}
