import { useQuery } from "@tanstack/react-query";
import { type Project, useMay, useMe } from "@/api/me";
import { projectQuery } from "@/api/queries";
import { formatNumber } from "@/lib/format";
import { paths } from "@/lib/paths";
import { useProject } from "@/shell/project";
import { ButtonLink } from "@/ui/Button";
import { Copyable } from "@/ui/Copy";
import { Users } from "@/ui/icons";
import { PageHeader } from "@/ui/PageHeader";
import { Fact, Facts, Panel } from "@/ui/Panel";
import { Loadable } from "@/ui/states";
import { Time } from "@/ui/Time";
import { DeleteProject } from "./DeleteProject";
import { DescriptionForm } from "./DescriptionForm";
import { LimitsForm } from "./LimitsForm";
import { LIMITS } from "./limits";
import styles from "./ProjectSettingsPage.module.css";

/** What the project is, what it may use, and its end. */
export function ProjectSettingsPage() {
  const name = useProject();
  const query = useQuery(projectQuery(name));
  const isOwner = useMay(name, "owner");
  const isAdmin = useMe()?.is_admin === true;
  return (
    <>
      <PageHeader
        title="Project settings"
        meta={isOwner ? undefined : "An owner of the project changes these."}
        actions={
          <ButtonLink href={paths.members(name)} icon={<Users aria-hidden="true" />}>
            Members
          </ButtonLink>
        }
      />
      <Loadable query={query} what="load the project" height={420}>
        {(project) => (
          <div className={styles.page}>
            <Panel title="Project">
              <About project={project} />
            </Panel>
            {isOwner && (
              <Panel title="Description">
                <DescriptionForm key={project.description} project={project} />
              </Panel>
            )}
            <Panel title="Limits" aside={isAdmin ? undefined : "set by administrators"}>
              {isAdmin ? <LimitsForm key={project.etag} project={project} /> : <Limits project={project} />}
            </Panel>
            <Panel title="Guarantees" aside="machines of its own, lent out while it does not use them">
              <Guarantees project={project} isAdmin={isAdmin} />
            </Panel>
            {isOwner && (
              <Panel title="Delete">
                <DeleteProject project={project} />
              </Panel>
            )}
          </div>
        )}
      </Loadable>
    </>
  );
}

function About({ project }: { project: Project }) {
  return (
    <Facts>
      <Fact label="Name">{project.name}</Fact>
      <Fact label="Id">
        <Copyable text={project.id} what="project id" />
      </Fact>
      <Fact label="Description">{project.description || "–"}</Fact>
      <Fact label="Team">{project.team}</Fact>
      <Fact label="Your role">{project.role ?? "administrator"}</Fact>
      <Fact label="Made">
        <Time at={project.created_at} />
      </Fact>
      <Fact label="Unfinished jobs">{project.live_jobs ?? 0}</Fact>
      <Fact label="Tracking">
        <a href={project.mlflow_url}>MLflow of this project</a>
      </Fact>
    </Facts>
  );
}

function Limits({ project: { limits } }: { project: Project }) {
  return (
    <Facts>
      {LIMITS.map(([name, label, unit]) => {
        const limit = limits[name];
        return (
          <Fact key={name} label={label}>
            {limit === null || limit === undefined ? "no limit" : `${formatNumber(limit)} ${unit}`}
          </Fact>
        );
      })}
    </Facts>
  );
}

function Guarantees({ project: { guarantees = {}, name }, isAdmin }: { project: Project; isAdmin: boolean }) {
  const pools = Object.entries(guarantees);
  return (
    <>
      {pools.length === 0 ? (
        <p className={styles.quiet}>None: the project takes its share of what is free.</p>
      ) : (
        <Facts>
          {pools.map(([pool, machines]) => (
            <Fact key={pool} label={pool}>
              {formatNumber(machines)} machines
            </Fact>
          ))}
        </Facts>
      )}
      {isAdmin && (
        <p className={styles.hint}>
          To change one: <code>mlp project update {name} --guarantee POOL=MACHINES</code>
        </p>
      )}
    </>
  );
}
