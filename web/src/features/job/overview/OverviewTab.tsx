import { useQuery } from "@tanstack/react-query";
import { paths } from "@/lib/paths";
import { CodeBlock } from "@/ui/Copy";
import { ExternalLink } from "@/ui/icons";
import { Fact, Facts, Panel } from "@/ui/Panel";
import { Digest } from "@/ui/quantities";
import { hasEnded, isWaiting, reasonInWords } from "@/ui/status";
import { Duration, Time } from "@/ui/Time";
import { useJobHref } from "../address";
import { attemptsQuery, type Job } from "../queries";
import { FailureCard } from "./FailureCard";
import { NodeKinds } from "./NodeKinds";
import styles from "./Overview.module.css";
import { commandText } from "./shape";
import { TimelinePanel } from "./TimelinePanel";
import { WaitCard } from "./WaitCard";

/** Where the job stands and why, first; then how it got there, and what it is. */
export default function OverviewTab({ job }: { job: Job }) {
  const key = { project: job.project, job: job.id };
  const attempts = useQuery(attemptsQuery(key, !hasEnded(job.phase)));
  return (
    <div className={styles.grid}>
      <div className={styles.main}>
        {job.failure !== null && job.failure !== undefined && job.phase === "failed" && (
          <FailureCard failure={job.failure} attempt={job.attempt} />
        )}
        {isWaiting(job.phase) && <WaitCard job={job} />}
        {!isWaiting(job.phase) && job.phase !== "failed" && <Now job={job} />}
        <TimelinePanel job={job} attempts={attempts} />
        <Panel title="Nodes" flush>
          <NodeKinds job={job} />
        </Panel>
      </div>
      <div className={styles.side}>
        <Panel title="Command">
          <CodeBlock text={commandText(job.spec.entrypoint)} what="command line" />
        </Panel>
        <Links job={job} />
        <About job={job} />
      </div>
    </div>
  );
}

function Now({ job }: { job: Job }) {
  return (
    <section className={styles.now} aria-label="Now">
      <strong>{reasonInWords(job.reason)}</strong>
      <span>{job.message}</span>
    </section>
  );
}

function Links({ job }: { job: Job }) {
  const hrefOf = useJobHref();
  const { run, model } = job;
  return (
    <Panel title="Links">
      <ul className={styles.links}>
        {run?.url && (
          <li>
            <a href={run.url}>
              Run in MLflow: {run.name} <ExternalLink aria-hidden="true" />
            </a>
          </li>
        )}
        {model !== null && model !== undefined && (
          <li>
            <a href={paths.model(job.project, model.name)}>
              Model {model.name}, version {model.version}
            </a>
          </li>
        )}
        {job.spec.cluster !== null && job.spec.cluster !== undefined && (
          <li>
            <a href={paths.cluster(job.project, job.spec.cluster)}>Cluster {job.spec.cluster}</a>
          </li>
        )}
        <li>
          <a href={hrefOf({ tab: "logs" })}>Logs</a>
        </li>
        <li>
          <a href={hrefOf({ tab: "artifacts" })}>Artifacts and result</a>
        </li>
      </ul>
    </Panel>
  );
}

function About({ job }: { job: Job }) {
  const { spec } = job;
  const { retries } = spec;
  return (
    <Panel title="Details">
      <Facts>
        <Fact label="Submitted">
          <Time at={job.created_at} absolute />
        </Fact>
        <Fact label="Started">
          <Time at={job.started_at} absolute />
        </Fact>
        <Fact label="Ended">
          <Time at={job.ended_at} absolute />
        </Fact>
        <Fact label="Ran for">
          <Duration since={job.started_at ?? null} until={job.ended_at ?? null} />
        </Fact>
        <Fact label="Exit">{exitText(job)}</Fact>
        <Fact label="Priority">{spec.priority ?? "normal"}</Fact>
        <Fact label="Time limit">{spec.timeout ?? "none"}</Fact>
        <Fact label="Deadline">{spec.deadline ? <Time at={spec.deadline} absolute /> : "none"}</Fact>
        <Fact label="Retries">
          {retries === undefined || retries.max === 0
            ? "none"
            : `up to ${retries.max}, on ${(retries.on ?? []).join(", ")}`}
        </Fact>
        <Fact label="Code">
          <Digest value={job.package} />
        </Fact>
        <Fact label="Environment">
          <Digest value={job.environment_digest} />
        </Fact>
        <Fact label="Experiment">{spec.run?.experiment ?? "–"}</Fact>
        {Object.entries(spec.run?.tags ?? {}).map(([name, value]) => (
          <Fact key={name} label={`Tag ${name}`}>
            {value}
          </Fact>
        ))}
      </Facts>
    </Panel>
  );
}

function exitText({ exit_code, signal }: Job): string {
  if (typeof signal === "number") return `signal ${signal}`;
  return typeof exit_code === "number" ? `code ${exit_code}` : "–";
}
