import { useQuery } from "@tanstack/react-query";
import { differences, leafText } from "@/lib/flatten";
import { Panel } from "@/ui/Panel";
import { Empty, ErrorPanel } from "@/ui/states";
import { useJobSearch } from "../address";
import { type Job, shownJobQuery } from "../queries";
import styles from "./Code.module.css";
import { EnvironmentPanel } from "./EnvironmentPanel";
import { FilesPanel } from "./FilesPanel";
import { OtherJob } from "./OtherJob";

/** What ran: the files, the environment, and how both differ from another job's. */
export default function CodeTab({ job }: { job: Job }) {
  const [{ with: name }] = useJobSearch();
  const other = useQuery({ ...shownJobQuery(job.project, name ?? ""), enabled: name !== undefined });
  const found = name === undefined ? undefined : other.data;
  return (
    <div className={styles.page}>
      <OtherJob job={job} />
      {name !== undefined && other.error !== null && <ErrorPanel what="load the other job" error={other.error} />}
      {found !== undefined && <SpecChanges job={job} other={found} />}
      {job.package === null || job.package === undefined ? (
        <Panel title="Code">
          <Empty title="It sent no code">
            <p>Its command is all there is. A job with a package runs in the folder that was sent.</p>
          </Empty>
        </Panel>
      ) : (
        <FilesPanel job={job} digest={job.package} other={found?.package ?? undefined} otherName={found?.name} />
      )}
      <EnvironmentPanel job={job} other={found} />
    </div>
  );
}

/** What was asked for differently, the name aside. */
function SpecChanges({ job, other }: { job: Job; other: Job }) {
  const found = differences(job.spec, other.spec).filter(({ name }) => name !== "package");
  return (
    <Panel title="Differences in what was asked for" flush>
      {found.length === 0 ? (
        <p className={styles.quiet}>None.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        <div className={styles.scroll} tabIndex={0} role="region" aria-label="Table of differences">
          <table className={styles.table}>
            <thead>
              <tr>
                <th scope="col">Field</th>
                <th scope="col">{job.name} (this job)</th>
                <th scope="col">{other.name}</th>
              </tr>
            </thead>
            <tbody>
              {found.map(({ name, one, other: value }) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td>{leafText(one) || "–"}</td>
                  <td>{leafText(value) || "–"}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}
