import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { paths } from "@/lib/paths";
import { Clock } from "@/ui/icons";
import { Fact, Facts } from "@/ui/Panel";
import { Loadable } from "@/ui/states";
import { reasonInWords } from "@/ui/status";
import { Duration, Time } from "@/ui/Time";
import { type Job, type Why, whyQuery } from "../queries";
import styles from "./Overview.module.css";
import { helpFor, isLong, ordinal } from "./wait";

/** Why it waits: the reason in words, since when, behind whom, what would start it, and who can do something. */
export function WaitCard({ job }: { job: Job }) {
  const query = useQuery(whyQuery({ project: job.project, job: job.id }));
  const help = helpFor(job.reason);
  return (
    <section className={styles.wait} aria-labelledby="wait-title">
      <div className={styles.waitHead}>
        <Clock aria-hidden="true" />
        <h2 id="wait-title">{reasonInWords(job.reason)}</h2>
        <span className={styles.class}>{help.kind}</span>
      </div>
      <p className={styles.sentence}>{job.message}</p>
      <Loadable query={query} what="find out why it waits" height={64}>
        {(why) => <WhyFacts project={job.project} why={why} />}
      </Loadable>
      <p className={styles.next}>
        <strong>Who can change it:</strong> {help.who}
      </p>
      <p className={styles.next}>
        <strong>What to do:</strong> {help.next}
      </p>
    </section>
  );
}

function WhyFacts({ project, why }: { project: string; why: Why }) {
  const place = why.queue ?? null;
  const position = place?.position ?? why.position ?? null;
  const ahead = why.ahead ?? [];
  const blockers = why.blockers ?? [];
  const starters = why.would_start_now ?? [];
  return (
    <>
      <Facts>
        <Fact label="Waiting for">
          <Duration since={why.since} />
          {isLong(Date.parse(why.since), why.usual_seconds, Date.now()) && " (longer than usual)"}
        </Fact>
        <Fact label="Since">
          <Time at={why.since} absolute />
        </Fact>
        {position !== null && (
          <Fact label="Place in the queue">
            {ordinal(position)}
            {place !== null && ` for pool ${place.pool}`}
          </Fact>
        )}
        {typeof why.usual_seconds === "number" && (
          <Fact label="Usually takes">
            <Duration seconds={why.usual_seconds} />
          </Fact>
        )}
      </Facts>
      {blockers.length > 0 && (
        <List title="What holds the machines">
          {blockers.map((blocker, index) => (
            <li key={blocker.job_id ?? index}>
              <Named
                project={blocker.project ?? null}
                id={blocker.job_id ?? null}
                name={blocker.name ?? "a job"}
                kind="job"
              />{" "}
              holds {blocker.holds}
              {blocker.since ? (
                <>
                  {" "}
                  for <Duration since={blocker.since} />
                </>
              ) : null}
            </li>
          ))}
        </List>
      )}
      {ahead.length > 0 && (
        <List title="Before it in the queue">
          {ahead.map((one, index) => (
            <li key={one.id ?? index}>
              <Named project={one.project ?? null} id={one.id ?? null} name={one.name} kind={one.kind} />
            </li>
          ))}
          {position !== null && position - 1 > ahead.length && <li>and {position - 1 - ahead.length} more</li>}
        </List>
      )}
      {starters.length > 0 && (
        <List title="It would start now with">
          {starters.map((change) => (
            <li key={change}>{change}</li>
          ))}
        </List>
      )}
      {blockers.length === 0 && ahead.length === 0 && starters.length === 0 && position === null && (
        <p className={styles.quiet}>Nothing else in project {project} holds it back.</p>
      )}
    </>
  );
}

function List({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className={styles.list}>
      <h3>{title}</h3>
      <ul>{children}</ul>
    </div>
  );
}

interface NamedProps {
  project: string | null;
  id: string | null;
  name: string;
  kind: "job" | "cluster";
}

/** A link where the person may look; else only that it is there. */
function Named({ project, id, name, kind }: NamedProps) {
  if (project === null || id === null) return <span>{name}</span>;
  return <a href={kind === "job" ? paths.job(project, id) : paths.cluster(project, id)}>{name}</a>;
}
