import { paths } from "@/lib/paths";
import type { Job } from "../queries";
import styles from "./Overview.module.css";
import { nodeKinds } from "./shape";

/** What machines the job asks for. */
export function NodeKinds({ job }: { job: Job }) {
  const kinds = nodeKinds(job.spec);
  if (kinds.length === 0) {
    return (
      <p className={styles.empty}>
        It runs on cluster <a href={paths.cluster(job.project, job.spec.cluster ?? "")}>{job.spec.cluster}</a> and has
        no nodes of its own.
      </p>
    );
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <div className={styles.scroll} tabIndex={0} role="region" aria-label="Table of nodes">
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Group</th>
            <th scope="col">Pool</th>
            <th scope="col" data-align="end">
              Nodes
            </th>
            <th scope="col" data-align="end">
              CPU cores
            </th>
            <th scope="col" data-align="end">
              Memory
            </th>
            <th scope="col" data-align="end">
              GPUs
            </th>
          </tr>
        </thead>
        <tbody>
          {kinds.map(({ name, pool, nodes, cpu, memory, gpu }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{pool}</td>
              <td data-align="end">{nodes.replace("..", "–")}</td>
              <td data-align="end">{cpu}</td>
              <td data-align="end">{memory}</td>
              <td data-align="end">{gpu === 0 ? "–" : gpu}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
