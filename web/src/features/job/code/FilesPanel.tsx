import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { formatCount, plural } from "@/lib/format";
import { paths } from "@/lib/paths";
import { ButtonLink } from "@/ui/Button";
import { FileTree } from "@/ui/FileTree";
import { Download } from "@/ui/icons";
import { Panel } from "@/ui/Panel";
import { ErrorPanel, Skeleton } from "@/ui/states";
import { useJobHref, useJobSearch } from "../address";
import { commandText } from "../overview/shape";
import { downloads, type Job } from "../queries";
import styles from "./Code.module.css";
import { type ComparedFile, compareFiles, countChanges, firstFile } from "./changes";
import { FileView } from "./FileView";
import { filesQuery } from "./reads";

interface FilesPanelProps {
  job: Job;
  digest: string;
  /** Digest of the other job's package. */
  other: string | undefined;
  otherName: string | undefined;
}

const MARKS = { added: "A", removed: "D", changed: "M", same: "" } as const;

/** The tree of files, and one of them; beside another job's code only what differs, as a diff. */
export function FilesPanel({ job, digest, other, otherName }: FilesPanelProps) {
  const own = useQuery(filesQuery(job.project, digest));
  const theirs = useQuery({ ...filesQuery(job.project, other ?? ""), enabled: other !== undefined });
  const [{ path: wanted, with: compared, only }, change] = useJobSearch();
  const files = useMemo<ComparedFile[]>(
    () =>
      other === undefined
        ? (own.data?.files ?? []).map((file) => ({ ...file, change: "same" as const }))
        : compareFiles(own.data?.files ?? [], theirs.data?.files ?? []),
    [own.data, theirs.data, other],
  );
  const isDiff = other !== undefined && theirs.data !== undefined;
  const counts = countChanges(files);
  const shown = isDiff && only !== true ? files.filter((file) => file.change !== "same") : files;
  const path = wanted ?? firstFile(shown, commandText(job.spec.entrypoint));
  const file = files.find((one) => one.path === path);
  return (
    <Panel
      title="Code"
      flush
      aside={
        <>
          <a href={paths.package(job.project, digest)}>
            {own.data === undefined ? "Package" : plural(own.data.total, "file")}
          </a>
          {isDiff && (
            <label className={styles.all}>
              <input
                type="checkbox"
                checked={only === true}
                onChange={(event) => change({ only: event.target.checked ? true : undefined })}
              />
              Equal files too
            </label>
          )}
          <ButtonLink
            kind="quiet"
            href={downloads.package(job.project, digest)}
            download
            icon={<Download aria-hidden="true" />}
          >
            Download
          </ButtonLink>
        </>
      }
    >
      {own.data === undefined ? (
        own.error === null ? (
          <Skeleton height={320} />
        ) : (
          <ErrorPanel what="load the files" error={own.error} onRetry={() => void own.refetch()} />
        )
      ) : (
        <>
          {isDiff && (
            <p className={styles.summary} role="status">
              {counts.added + counts.removed + counts.changed === 0
                ? `The same code as ${otherName ?? "the other job"}.`
                : `Beside ${otherName ?? "the other job"}: ${formatCount(counts.changed)} changed, ${formatCount(counts.added)} added, ${formatCount(counts.removed)} removed, ${formatCount(counts.same)} equal.`}
            </p>
          )}
          {own.data.total > own.data.files.length && (
            <p className={styles.summary}>
              The first {formatCount(own.data.files.length)} files are listed; the download has all.
            </p>
          )}
          <div className={styles.files}>
            <FileTree
              label="Files of the package"
              files={shown}
              nameOf={(one, name) => <FileLink file={one} name={name} current={path} compared={compared} />}
            />
            {file !== undefined && (
              <FileView
                key={file.path}
                project={job.project}
                file={file}
                digest={digest}
                other={isDiff ? other : undefined}
              />
            )}
          </div>
        </>
      )}
    </Panel>
  );
}

interface FileLinkProps {
  file: ComparedFile;
  name: string;
  current: string | undefined;
  compared: string | undefined;
}

function FileLink({ file, name, current, compared }: FileLinkProps) {
  const hrefOf = useJobHref();
  return (
    <a
      href={hrefOf({ tab: "code", path: file.path, with: compared })}
      aria-current={file.path === current ? "true" : undefined}
      className={styles.file}
    >
      {file.change !== "same" && (
        <span className={styles.mark} data-change={file.change} title={file.change}>
          {MARKS[file.change]}
          <span className="visually-hidden"> {file.change}</span>
        </span>
      )}
      <bdi>{name}</bdi>
    </a>
  );
}
