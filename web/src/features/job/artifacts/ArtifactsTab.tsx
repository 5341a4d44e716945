import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { rowsOf } from "@/api/pages";
import { formatBytes, plural } from "@/lib/format";
import { Button, ButtonLink } from "@/ui/Button";
import { FileTree } from "@/ui/FileTree";
import { Download } from "@/ui/icons";
import { Panel } from "@/ui/Panel";
import { Empty, Loadable } from "@/ui/states";
import { hasEnded } from "@/ui/status";
import { AttemptChoice } from "../AttemptChoice";
import { useJobSearch } from "../address";
import { type Artifact, artifactsQuery, downloads, type Job } from "../queries";
import styles from "./Artifacts.module.css";
import { resultQuery } from "./result";

const FILL = `from mlp import runtime

(runtime.context().output_dir / "report.txt").write_text("done")`;

/** The files that the job left in its output folder, and the result of a function. */
export default function ArtifactsTab({ job }: { job: Job }) {
  return (
    <div className={styles.page}>
      <Files job={job} />
      <ResultPanel job={job} />
    </div>
  );
}

function Files({ job }: { job: Job }) {
  const [{ attempt }] = useJobSearch();
  const key = { project: job.project, job: job.id };
  const isLive = !hasEnded(job.phase);
  const query = useInfiniteQuery(artifactsQuery(key, attempt, isLive));
  const files = rowsOf(query.data);
  return (
    <Panel
      title="Artifacts"
      flush
      aside={
        <>
          {files.length > 0 && (
            <span>
              {plural(files.length, "file")}
              {query.hasNextPage ? " so far" : ""}, {formatBytes(files.reduce((sum, { size }) => sum + size, 0))}
            </span>
          )}
          <AttemptChoice job={job} />
        </>
      }
    >
      <Loadable query={query} what="load the artifacts" height={200}>
        {() =>
          files.length === 0 ? (
            <Empty title={isLive ? "No files yet" : "It left no files"} command={FILL}>
              <p>What a job writes into its output folder is kept here.</p>
            </Empty>
          ) : (
            <>
              <FileTree
                label="Artifacts"
                files={files}
                nameOf={(file, name) => <FileName file={file} name={name} jobKey={key} attempt={attempt} />}
              />
              {query.hasNextPage && (
                <Button kind="quiet" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                  Show more files
                </Button>
              )}
            </>
          )
        }
      </Loadable>
    </Panel>
  );
}

interface FileNameProps {
  file: Artifact;
  name: string;
  jobKey: { project: string; job: string };
  attempt: number | undefined;
}

/** A file that is not whole yet cannot be read, and says how far it is. */
function FileName({ file, name, jobKey, attempt }: FileNameProps) {
  if (!file.complete) {
    const share = file.size === 0 ? 0 : Math.floor((file.stored / file.size) * 100);
    return (
      <>
        <bdi>{name}</bdi> <span className={styles.uploading}>uploading, {share}%</span>
      </>
    );
  }
  return (
    <a
      href={downloads.artifact(jobKey, attempt ?? file.attempt, file.path)}
      download={name}
      title={file.sha256 ?? undefined}
    >
      <bdi>{name}</bdi>
    </a>
  );
}

function ResultPanel({ job }: { job: Job }) {
  return (
    <Panel title="Result">
      {job.has_result ? (
        <Result job={job} />
      ) : (
        <p className={styles.quiet}>
          {hasEnded(job.phase) ? "It left no result." : "No result yet."} Functions submitted by{" "}
          <code>client.remote</code> leave one.
        </p>
      )}
    </Panel>
  );
}

function Result({ job }: { job: Job }) {
  const key = { project: job.project, job: job.id };
  const query = useQuery(resultQuery(key));
  return (
    <Loadable query={query} what="look for the result" height={40}>
      {(result) =>
        result === null ? (
          <p className={styles.quiet}>Its result was removed after its time.</p>
        ) : (
          <div className={styles.result}>
            <ButtonLink href={downloads.result(key)} download icon={<Download aria-hidden="true" />}>
              Download {result.size !== null && formatBytes(result.size)}
            </ButtonLink>
            <p className={styles.quiet}>
              Packed by Python's pickle: open it with <code>client.jobs.get("{job.id}").result()</code>, and only if you
              trust the job's code.
            </p>
          </div>
        )
      }
    </Loadable>
  );
}
