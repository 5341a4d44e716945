import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import { useMay } from "@/api/me";
import { plural } from "@/lib/format";
import { paths } from "@/lib/paths";
import { useProject } from "@/shell/project";
import { CodeBlock, Copyable } from "@/ui/Copy";
import { DeleteButton } from "@/ui/DeleteButton";
import { EventList } from "@/ui/Events";
import { notifyDone } from "@/ui/notify";
import { PageHeader } from "@/ui/PageHeader";
import { Fact, Facts, Panel } from "@/ui/Panel";
import { Digest } from "@/ui/quantities";
import { Status } from "@/ui/Status";
import { Loadable } from "@/ui/states";
import { Time } from "@/ui/Time";
import styles from "./EnvironmentPage.module.css";
import { environmentRoute } from "./feature";
import { ENVIRONMENTS, type Environment, environmentEventsQuery, environmentQuery } from "./queries";
import { pinnedIn, titleOf, whyKept } from "./words";

/** One environment: what was asked for, what it was resolved to, why it failed. */
export function EnvironmentPage() {
  const project = useProject();
  const { environment: id } = environmentRoute.useParams();
  const query = useQuery(environmentQuery(project, id));
  const found = query.data;
  return (
    <>
      <PageHeader
        title={found === undefined ? id : titleOf(found)}
        above={[{ label: "Environments", href: paths.environments(project) }]}
        status={found && <Status phase={found.phase} badge />}
        meta={found && <Copyable text={found.id} what="environment id" />}
        actions={found && <Remove project={project} environment={found} />}
      />
      <Loadable query={query} what="load this environment" height={420}>
        {(environment) => (
          <div className={styles.page}>
            <About environment={environment} />
            <Requirements environment={environment} />
            <Lock environment={environment} />
            <History project={project} id={environment.id} />
          </div>
        )}
      </Loadable>
    </>
  );
}

function Remove({ project, environment }: { project: string; environment: Environment }) {
  const navigate = environmentRoute.useNavigate();
  const queries = useQueryClient();
  const mayDelete = useMay(project, "editor");
  if (!mayDelete) return null;
  const remove = async () => {
    await api.DELETE(`${ENVIRONMENTS}/{environment}`, { params: { path: { project, environment: environment.id } } });
    notifyDone(`Environment ${titleOf(environment)} was deleted.`);
    await queries.invalidateQueries({ queryKey: ["get", ENVIRONMENTS] });
    await navigate({ to: paths.environments(project) });
  };
  return (
    <DeleteButton
      what={`environment ${titleOf(environment)}`}
      blocked={whyKept(environment.used_by_jobs ?? 0)}
      onDelete={remove}
    >
      <p>No job refers to it. The same requirements can be asked for again.</p>
    </DeleteButton>
  );
}

function About({ environment }: { environment: Environment }) {
  const { python, message, phase, digest, used_by_jobs = 0, created_by, created_at } = environment;
  return (
    <Panel title={phase === "failed" ? "Why it failed" : "About it"}>
      {message !== "" && <p className={styles.message}>{message}</p>}
      <Facts>
        <Fact label="Python">{python}</Fact>
        <Fact label="Digest of the lock">
          <Digest value={digest} />
        </Fact>
        <Fact label="Used by">{plural(used_by_jobs, "job")}</Fact>
        <Fact label="Asked for by">{created_by}</Fact>
        <Fact label="Asked for">
          <Time at={created_at} />
        </Fact>
      </Facts>
    </Panel>
  );
}

function Requirements({ environment: { requirements, python } }: { environment: Environment }) {
  return (
    <Panel title="Requirements" aside={plural(requirements.length, "requirement")}>
      {requirements.length === 0 ? (
        <p className={styles.quiet}>None: Python {python} with what the platform brings.</p>
      ) : (
        <CodeBlock text={requirements.join("\n")} what="list of requirements" />
      )}
    </Panel>
  );
}

function Lock({ environment: { lock, phase } }: { environment: Environment }) {
  const text = lock?.trim() ?? "";
  return (
    <Panel title="Resolved lock" aside={text !== "" && plural(pinnedIn(text), "pinned package")}>
      {text !== "" ? (
        <div className={styles.lock}>
          <CodeBlock text={text} what="lock" />
        </div>
      ) : (
        <p className={styles.quiet}>
          {phase === "resolving"
            ? "It is being resolved."
            : phase === "failed"
              ? "It was never resolved."
              : "Nothing to pin."}
        </p>
      )}
    </Panel>
  );
}

function History({ project, id }: { project: string; id: string }) {
  const query = useQuery(environmentEventsQuery(project, id));
  return (
    <Panel title="Events" flush aside="newest first">
      <Loadable query={query} what="load its events" height={120}>
        {({ items }) =>
          items.length === 0 ? <p className={styles.none}>Nothing is known of it.</p> : <EventList events={items} />
        }
      </Loadable>
    </Panel>
  );
}
