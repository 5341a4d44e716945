import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { diffLines } from "@/lib/diff";
import { formatCount, plural } from "@/lib/format";
import { paths } from "@/lib/paths";
import { CodeBlock } from "@/ui/Copy";
import { Fact, Facts, Panel } from "@/ui/Panel";
import { Digest } from "@/ui/quantities";
import { Loadable } from "@/ui/states";
import type { Job } from "../queries";
import styles from "./Code.module.css";
import { type Environment, environmentQuery } from "./reads";

/** What the code ran with: Python, requirements, variables, and the lock that they were resolved to. */
export function EnvironmentPanel({ job, other }: { job: Job; other: Job | undefined }) {
  const query = useQuery(environmentQuery(job));
  const theirs = useQuery({
    ...environmentQuery(other ?? job),
    enabled: other !== undefined,
  });
  const { python = "3.11", requirements = [], variables = {}, name } = job.spec.environment ?? {};
  return (
    <Panel
      title="Environment"
      aside={query.data && <a href={paths.environment(job.project, query.data.id)}>Open it</a>}
    >
      <div className={styles.environment}>
        <Facts>
          <Fact label="Python">{python}</Fact>
          <Fact label="Digest of the lock">
            <Digest value={job.environment_digest} />
          </Fact>
          {name !== null && name !== undefined && <Fact label="Named environment">{name}</Fact>}
          <Fact label="Requirements">
            {requirements.length === 0 ? "none of its own" : plural(requirements.length, "requirement")}
          </Fact>
        </Facts>
        {requirements.length > 0 && <CodeBlock text={requirements.join("\n")} what="requirements" />}
        {Object.keys(variables).length > 0 && (
          <CodeBlock
            text={Object.entries(variables)
              .map(([key, value]) => `${key}=${value}`)
              .join("\n")}
            what="variables"
          />
        )}
        <Loadable query={query} what="load the environment" height={60}>
          {(environment) => (
            <Lock own={environment} other={other === undefined ? undefined : theirs.data} otherName={other?.name} />
          )}
        </Loadable>
      </div>
    </Panel>
  );
}

interface LockProps {
  own: Environment | null;
  /** Undefined: not compared, or not known yet. */
  other: Environment | null | undefined;
  otherName: string | undefined;
}

function Lock({ own, other, otherName }: LockProps) {
  const lock = own?.lock ?? "";
  const changes = useMemo(
    () => (other === undefined ? [] : diffLines(other?.lock ?? "", lock).filter(({ kind }) => kind !== "same")),
    [other, lock],
  );
  return (
    <>
      {other !== undefined && (
        <p role="status">
          {changes.length === 0
            ? `The same packages as ${otherName}.`
            : `${plural(changes.length, "line differs", "lines differ")} from ${otherName}.`}
        </p>
      )}
      {changes.length > 0 && (
        <div className={styles.diff}>
          {changes.map((line) => (
            <div key={`${line.kind}${line.text}`} className={styles.line} data-kind={line.kind}>
              <span className={styles.sign}>
                {line.kind === "added" ? "+" : "−"}
                <span className="visually-hidden"> {line.kind}: </span>
              </span>
              <span>{line.text}</span>
            </div>
          ))}
        </div>
      )}
      {own === null ? (
        <p className={styles.quiet}>It asks for no packages: it runs in the platform's own environment.</p>
      ) : lock === "" ? (
        <p className={styles.quiet}>Not resolved yet.</p>
      ) : (
        <details>
          <summary>Lock, {formatCount(lock.trim().split("\n").length)} lines</summary>
          <CodeBlock text={lock} what="lock" />
        </details>
      )}
    </>
  );
}
