import type { ReactNode } from "react";
import { formatNumber, shortDigest } from "@/lib/format";
import { paths } from "@/lib/paths";
import { ButtonLink } from "@/ui/Button";
import { Copyable } from "@/ui/Copy";
import { ExternalLink } from "@/ui/icons";
import { Panel } from "@/ui/Panel";
import { Digest } from "@/ui/quantities";
import styles from "./Model.module.css";
import { measured, metricNames } from "./metrics";
import type { Version } from "./queries";

/** Where one version came from, and what its run logged. */
export function VersionDetails({ project, version }: { project: string; version: Version }) {
  return (
    <Panel
      title={`Version ${version.version}`}
      aside={
        <ButtonLink kind="quiet" href={version.url} icon={<ExternalLink aria-hidden="true" />}>
          In MLflow
        </ButtonLink>
      }
    >
      {version.description !== "" && <p className={styles.description}>{version.description}</p>}
      <Lineage project={project} version={version} />
      <div className={styles.values}>
        <Pairs title="Metrics" none="The run logged no metric." pairs={metricsOf(version)} />
        <Pairs
          title="Parameters"
          none="The run logged no parameter."
          pairs={Object.entries(version.parameters ?? {}).sort()}
        />
        <Pairs title="Tags" none="No tags." pairs={Object.entries(version.tags ?? {}).sort()} />
      </div>
    </Panel>
  );
}

/** From the code to the version, each a link to its page. */
function Lineage({ project, version }: { project: string; version: Version }) {
  const { job, run, package: digest, environment_digest } = version;
  return (
    <ol className={styles.lineage} aria-label="Lineage">
      <Step name="Code">
        {digest ? <a href={paths.package(project, digest)}>{shortDigest(digest)}</a> : "not known"}
      </Step>
      <Step name="Environment">
        {environment_digest ? <Digest value={environment_digest} /> : "the platform's own"}
      </Step>
      <Step name="Job">{job ? <a href={paths.job(project, job.id)}>{job.name}</a> : "registered by hand"}</Step>
      <Step name="Run">{run?.url ? <a href={run.url}>{run.name || run.id}</a> : (run?.id ?? "gone")}</Step>
      {version.attempt_id && (
        <Step name="Attempt">
          <Copyable text={version.attempt_id} what="attempt id" />
        </Step>
      )}
    </ol>
  );
}

function Step({ name, children }: { name: string; children: ReactNode }) {
  return (
    <li className={styles.step}>
      <span>{name}</span>
      <span>{children}</span>
    </li>
  );
}

function metricsOf(version: Version): [string, string][] {
  return metricNames([version]).map((name) => [name, formatNumber(measured(version, name) ?? Number.NaN, 6)]);
}

function Pairs({ title, none, pairs }: { title: string; none: string; pairs: readonly [string, string][] }) {
  return (
    <table className={styles.pairs}>
      <caption>{title}</caption>
      <tbody>
        {pairs.length === 0 && (
          <tr>
            <td colSpan={2}>{none}</td>
          </tr>
        )}
        {pairs.map(([name, value]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
