import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { toApiError } from "@/api/errors";
import { type DiffLine, diffLines, hunksOf } from "@/lib/diff";
import { formatBytes, plural } from "@/lib/format";
import { CopyButton } from "@/ui/Copy";
import { ErrorPanel, Skeleton } from "@/ui/states";
import styles from "./Code.module.css";
import type { ComparedFile } from "./changes";
import { fileQuery } from "./reads";

interface FileViewProps {
  project: string;
  file: ComparedFile;
  digest: string;
  /** Digest of the package to compare with. */
  other: string | undefined;
}

/** One file as text, or what changed in it. */
export function FileView({ project, file, digest, other }: FileViewProps) {
  const isDiff = other !== undefined && file.change !== "same";
  const needsOwn = file.change !== "removed";
  const needsOther = isDiff && file.change !== "added";
  const own = useQuery({ ...fileQuery(project, digest, file.path), enabled: needsOwn });
  const before = useQuery({ ...fileQuery(project, other ?? "", file.path), enabled: needsOther });
  const error = (needsOwn ? own.error : null) ?? (needsOther ? before.error : null);
  const after = needsOwn ? own.data : "";
  const from = needsOther ? before.data : "";
  return (
    <div className={styles.view}>
      <div className={styles.viewHead}>
        <code>
          <bdi>{file.path}</bdi>
        </code>
        <span>{formatBytes(file.size)}</span>
        {typeof own.data === "string" && needsOwn && <CopyButton text={own.data} what="file" />}
      </div>
      {error !== null ? (
        <Unreadable error={error} />
      ) : after === undefined || from === undefined ? (
        <Skeleton height={240} />
      ) : isDiff ? (
        <Diff before={from} after={after} path={file.path} />
      ) : (
        <Content text={after} path={file.path} />
      )}
    </div>
  );
}

/** Too large, or no text: that is no failure, and the download has it. */
function Unreadable({ error }: { error: unknown }) {
  const { status, detail } = toApiError(error);
  if (status === 413 || status === 422) return <p className={styles.quiet}>{detail} The download has it.</p>;
  return <ErrorPanel what="load the file" error={error} />;
}

function Content({ text, path }: { text: string; path: string }) {
  const lines = useMemo(() => text.replace(/\n$/, "").split("\n").length, [text]);
  const numbers = useMemo(() => Array.from({ length: lines }, (_, index) => index + 1).join("\n"), [lines]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <div className={styles.text} tabIndex={0} role="region" aria-label={`Content of ${path}`}>
      <pre aria-hidden="true" className={styles.numbers}>
        {numbers}
      </pre>
      <pre>{text}</pre>
    </div>
  );
}

const SIGNS = { same: " ", removed: "−", added: "+" } as const;

function Diff({ before, after, path }: { before: string; after: string; path: string }) {
  const hunks = useMemo(() => hunksOf(diffLines(before, after)), [before, after]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <div className={styles.diff} tabIndex={0} role="region" aria-label={`Changes of ${path}`}>
      {hunks.length === 0 && <p className={styles.quiet}>Only the mode or the line ends differ.</p>}
      {hunks.map((hunk) => (
        <div key={hunkKey(hunk.lines[0])}>
          {hunk.skipped > 0 && <p className={styles.skipped}>{plural(hunk.skipped, "equal line")}</p>}
          {hunk.lines.map((line) => (
            <div key={`${line.old ?? ""}|${line.new ?? ""}`} className={styles.line} data-kind={line.kind}>
              <span className={styles.lineNumber}>{line.old}</span>
              <span className={styles.lineNumber}>{line.new}</span>
              <span className={styles.sign}>
                <span aria-hidden="true">{SIGNS[line.kind]}</span>
                {line.kind !== "same" && <span className="visually-hidden">{line.kind}: </span>}
              </span>
              <span>{line.text}</span>
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}

function hunkKey(line: DiffLine | undefined): string {
  return `${line?.old ?? ""}|${line?.new ?? ""}`;
}
