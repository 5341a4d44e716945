/** What a page shows in place of its data: nothing yet, nothing at all, not allowed, failed. */
import { type ReactNode, useEffect, useState } from "react";
import { toApiError } from "@/api/errors";
import { Button } from "./Button";
import { CodeBlock, Copyable } from "./Copy";
import { RefreshCw } from "./icons";
import styles from "./states.module.css";

const PATIENCE_MS = 150;

/** False for the first moments: what is there at once must not flash a skeleton. */
export function usePatience(waiting: boolean, milliseconds = PATIENCE_MS): boolean {
  const [over, setOver] = useState(false);
  useEffect(() => {
    if (!waiting) {
      setOver(false);
      return undefined;
    }
    const timer = setTimeout(() => setOver(true), milliseconds);
    return () => clearTimeout(timer);
  }, [waiting, milliseconds]);
  return waiting && over;
}

interface SkeletonProps {
  /** Of the final content, so that nothing moves when it comes. */
  height: number | string;
  label?: string;
}

/** The place of what loads, in its final size. Invisible at first, then a quiet block. */
export function Skeleton({ height, label = "Loading" }: SkeletonProps) {
  const visible = usePatience(true);
  return (
    <div className={styles.skeleton} data-visible={visible || undefined} style={{ height }} role="status">
      <span className="visually-hidden">{label}</span>
    </div>
  );
}

interface EmptyProps {
  /** One sentence: "No jobs yet". */
  title: string;
  children?: ReactNode;
  /** The command that would fill it. */
  command?: string;
  action?: ReactNode;
}

/** Nothing here, and what would change that. */
export function Empty({ title, children, command, action }: EmptyProps) {
  return (
    <div className={styles.state}>
      <p className={styles.title}>{title}</p>
      {children !== undefined && <div className={styles.text}>{children}</div>}
      {command !== undefined && <CodeBlock text={command} />}
      {action}
    </div>
  );
}

/** The filters hide everything; the button takes them away. */
export function NothingMatches({ what, onClear }: { what: string; onClear: () => void }) {
  return (
    <Empty title={`No ${what} match these filters`} action={<Button onClick={onClear}>Clear filters</Button>}>
      There may be others.
    </Empty>
  );
}

interface ErrorPanelProps {
  /** "load the jobs": completes "Could not …". */
  what: string;
  error: unknown;
  onRetry?: () => void;
}

/** What failed in plain words, what to do, and the request id for those who look into it. */
export function ErrorPanel({ what, error, onRetry }: ErrorPanelProps) {
  const problem = toApiError(error);
  if (problem.status === 403) return <Denied detail={problem.detail} hint={problem.hint} />;
  if (problem.status === 404) return <NotFound detail={problem.detail} />;
  return (
    <div className={styles.state} role="alert">
      <p className={styles.title}>{problem.isOffline ? "No connection to the platform" : `Could not ${what}`}</p>
      <div className={styles.text}>
        <p>{problem.detail}</p>
        {problem.hint && <p>{problem.hint}</p>}
      </div>
      {problem.request_id && (
        <p className={styles.meta}>
          Request <Copyable text={problem.request_id} what="request id" />
        </p>
      )}
      {onRetry !== undefined && (
        <Button icon={<RefreshCw aria-hidden="true" />} onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** Which permission is missing, and who gives it. */
export function Denied({ detail, hint }: { detail: string; hint?: string | null | undefined }) {
  return (
    <Empty title="You may not see this">
      <p>{detail}</p>
      <p>{hint ?? "An owner of the project can give you the role that it needs."}</p>
    </Empty>
  );
}

/** The same for what is not there and for what belongs to others. */
export function NotFound({ detail }: { detail?: string }) {
  return (
    <Empty title="There is nothing at this address">
      <p>{detail ?? "It may have been deleted, or it belongs to a project that you cannot see."}</p>
    </Empty>
  );
}

interface LoadableQuery<T> {
  data: T | undefined;
  error: unknown;
  isFetching: boolean;
  refetch: () => unknown;
}

interface LoadableProps<T> {
  query: LoadableQuery<T>;
  /** "load the jobs". */
  what: string;
  /** Height of the final content. */
  height?: number | string;
  children: (data: T) => ReactNode;
}

/**
 * The states of one query around its content. Data that was read before stays while it is read again, also when that fails;
 * then a line says how old it is.
 */
export function Loadable<T>({ query, what, height = 160, children }: LoadableProps<T>) {
  const retry = () => void query.refetch();
  if (query.data !== undefined) {
    return (
      <>
        {query.error !== null && query.error !== undefined && <StaleLine error={query.error} onRetry={retry} />}
        {children(query.data)}
      </>
    );
  }
  if (query.error !== null && query.error !== undefined)
    return <ErrorPanel what={what} error={query.error} onRetry={retry} />;
  return <Skeleton height={height} label={`Loading: ${what}`} />;
}

function StaleLine({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <p className={styles.stale} role="status">
      This may be out of date: {toApiError(error).detail}{" "}
      <button type="button" className={styles.inline} onClick={onRetry}>
        Try again
      </button>
    </p>
  );
}
