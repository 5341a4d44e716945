import { useQuery } from "@tanstack/react-query";
import { useMe } from "@/api/me";
import { formatNumber } from "@/lib/format";
import { type Column, DataTable } from "@/ui/DataTable";
import { PageHeader } from "@/ui/PageHeader";
import { Fact, Facts, Panel } from "@/ui/Panel";
import { Status } from "@/ui/Status";
import { Denied, Loadable } from "@/ui/states";
import { inWords } from "@/ui/status";
import styles from "./HealthPage.module.css";
import { type Readiness, readinessQuery } from "./queries";

type Dependency = Readiness["dependencies"][number];

const COLUMNS: Column<Dependency>[] = [
  { id: "name", header: "Dependency", width: "minmax(110px, 1fr)", cell: ({ name }) => inWords(name) },
  {
    id: "state",
    header: "State",
    width: "120px",
    cell: ({ ok, required }) => (
      <Status phase={ok ? "ready" : required ? "failed" : "queued"}>
        {ok ? "answers" : required ? "away" : "degraded"}
      </Status>
    ),
  },
  {
    id: "message",
    header: "Message",
    width: "minmax(120px, 2fr)",
    cell: ({ message }) => <span title={message}>{message}</span>,
  },
  {
    id: "time",
    header: "Answer (ms)",
    width: "90px",
    align: "end",
    cell: ({ milliseconds }) => formatNumber(milliseconds, 3),
  },
  {
    id: "required",
    header: "Without it",
    width: "190px",
    fold: "medium",
    cell: ({ required }) => (required ? "nothing works" : "something is late"),
  },
];
const keyOf = (dependency: Dependency) => dependency.name;

/** Whether the platform, and what it stands on, is well. */
export function HealthPage() {
  const me = useMe();
  const query = useQuery(readinessQuery());
  if (me !== undefined && !me.is_admin) {
    return (
      <>
        <PageHeader title="Health" />
        <Denied detail="The health of the platform is for administrators." hint="An administrator can make you one." />
      </>
    );
  }
  return (
    <>
      <PageHeader title="Health" status={query.data && <Overall status={query.data.status} />} />
      <div className={styles.page}>
        <Panel title="Dependencies" flush>
          <Loadable query={query} what="ask the platform how it is" height={230}>
            {(readiness) => (
              <DataTable label="Dependencies" rows={readiness.dependencies} columns={COLUMNS} rowKey={keyOf} />
            )}
          </Loadable>
        </Panel>
        <Panel title="Versions">
          <Facts>
            <Fact label="Platform">{me?.server_version ?? "–"}</Fact>
          </Facts>
        </Panel>
      </div>
    </>
  );
}

function Overall({ status }: { status: string }) {
  const phase = status === "ready" ? "ready" : status === "degraded" ? "queued" : "failed";
  return (
    <Status phase={phase} badge>
      {status}
    </Status>
  );
}
