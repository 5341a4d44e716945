import { useQuery } from "@tanstack/react-query";
import { formatCount, formatDuration, formatNumber } from "@/lib/format";
import { paths } from "@/lib/paths";
import { type Column, DataTable } from "@/ui/DataTable";
import { PageHeader } from "@/ui/PageHeader";
import { Fact, Facts, Panel } from "@/ui/Panel";
import { Status } from "@/ui/Status";
import { Loadable } from "@/ui/states";
import { inWords } from "@/ui/status";
import { Time } from "@/ui/Time";
import styles from "./HealthPage.module.css";
import { type Health, healthQuery } from "./queries";

type Dependency = Health["dependencies"][number];
type Queue = Health["queues"][number];
type Stuck = Health["stuck"][number];

const DEPENDENCIES: Column<Dependency>[] = [
  { id: "name", header: "Dependency", width: "minmax(100px, 1fr)", cell: ({ name }) => inWords(name) },
  { id: "state", header: "State", width: "110px", cell: (dependency) => <DependencyState {...dependency} /> },
  {
    id: "message",
    header: "Message",
    width: "minmax(110px, 2fr)",
    cell: ({ message }) => <span title={message}>{message}</span>,
  },
  {
    id: "time",
    header: "Answer (ms)",
    width: "90px",
    align: "end",
    fold: "narrow",
    cell: ({ milliseconds }) => formatNumber(milliseconds, 3),
  },
  {
    id: "required",
    header: "Without it",
    width: "170px",
    fold: "medium",
    cell: ({ required }) => (required ? "nothing works" : "something is late"),
  },
];
const QUEUES: Column<Queue>[] = [
  { id: "name", header: "Queue", width: "minmax(100px, 1fr)", cell: ({ name }) => inWords(name) },
  { id: "due", header: "Due", width: "80px", align: "end", cell: ({ due }) => formatCount(due) },
  { id: "lag", header: "Lag", width: "110px", align: "end", cell: ({ lag_seconds }) => formatDuration(lag_seconds) },
  {
    id: "held",
    header: "Worked on",
    width: "90px",
    align: "end",
    fold: "narrow",
    cell: ({ held }) => formatCount(held),
  },
  { id: "failing", header: "Failing", width: "80px", align: "end", cell: ({ failing }) => formatCount(failing) },
];
const STUCK: Column<Stuck>[] = [
  {
    id: "name",
    header: "Resource",
    width: "minmax(140px, 1fr)",
    cell: ({ kind, name, id }) => `${kind} ${name || id}`,
  },
  { id: "project", header: "Project", width: "120px", fold: "narrow", cell: ({ project }) => project },
  { id: "phase", header: "Phase", width: "120px", fold: "medium", cell: ({ phase }) => <Status phase={phase} /> },
  { id: "since", header: "Since", width: "150px", cell: ({ since }) => <Time at={since} /> },
];
const byName = ({ name }: { name: string }) => name;
const byId = ({ id }: Stuck) => id;
const whyOf = ({ why }: Stuck) => why;
const stuckHref = ({ kind, id, project }: Stuck) =>
  kind === "job"
    ? paths.job(project, id)
    : kind === "cluster"
      ? paths.cluster(project, id)
      : paths.environment(project, id);

/** Whether the platform, and what it stands on, is well. */
export function HealthPage() {
  const query = useQuery(healthQuery());
  return (
    <>
      <PageHeader
        title="Health"
        status={query.data && <Overall status={query.data.status} />}
        meta={
          query.data && (
            <span>
              Looked at <Time at={query.data.at} />
            </span>
          )
        }
      />
      <Loadable query={query} what="ask the platform how it is" height={520}>
        {(health) => <Details health={health} />}
      </Loadable>
    </>
  );
}

function Details({ health }: { health: Health }) {
  const { dependencies, queues, stuck, versions } = health;
  return (
    <div className={styles.page}>
      <Panel title="Dependencies" flush>
        <DataTable label="Dependencies" rows={dependencies} columns={DEPENDENCIES} rowKey={byName} />
      </Panel>
      <Panel title="Queues" flush>
        <DataTable label="Queues" rows={queues} columns={QUEUES} rowKey={byName} />
      </Panel>
      <Panel title="Stuck" flush={stuck.length > 0}>
        {stuck.length === 0 ? (
          <p>Nothing is stuck.</p>
        ) : (
          <DataTable
            label="Stuck resources"
            rows={stuck}
            columns={STUCK}
            rowKey={byId}
            rowHref={stuckHref}
            rowNote={whyOf}
          />
        )}
      </Panel>
      <Panel title="Versions">
        <Facts>
          <Fact label="Platform">{versions.server}</Fact>
          <Fact label="Client that it serves">{versions.client}</Fact>
          <Fact label="Schema of the database">{versions.schema_revision}</Fact>
          <Fact label="PostgreSQL">{versions.postgres}</Fact>
          <Fact label="MLflow">{versions.mlflow ?? "does not answer"}</Fact>
          <Fact label="Python">{versions.python}</Fact>
        </Facts>
      </Panel>
    </div>
  );
}

function DependencyState({ ok, required }: Dependency) {
  if (ok) return <Status phase="ready">answers</Status>;
  return <Status phase={required ? "failed" : "queued"}>{required ? "away" : "degraded"}</Status>;
}

function Overall({ status }: { status: string }) {
  const phase = status === "ready" ? "ready" : status === "degraded" ? "queued" : "failed";
  return (
    <Status phase={phase} badge>
      {status}
    </Status>
  );
}
