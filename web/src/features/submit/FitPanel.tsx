import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { type ApiError, toApiError } from "@/api/errors";
import { Button } from "@/ui/Button";
import { Panel } from "@/ui/Panel";
import { Price } from "@/ui/quantities";
import { StatusIcon } from "@/ui/Status";
import type { Tone } from "@/ui/status";
import { checkSpec, type FieldProblem, fieldInWords } from "./check";
import { type DryRun, dryRunQuery } from "./queries";
import styles from "./Submit.module.css";
import type { Spec } from "./schema";

const PAUSE_MS = 400;

/** What the dry run says, for a headline and for the fields that it complains about. Asked when the typing pauses. */
export function useDryRun(project: string, spec: Spec, enabled: boolean) {
  const settled = useSettledSpec(spec);
  const isSound = useMemo(() => checkSpec(settled).length === 0, [settled]);
  const query = useQuery({ ...dryRunQuery(project, settled), enabled: enabled && isSound });
  const isCurrent = settled === spec && !query.isPlaceholderData;
  const error = query.error === null ? null : toApiError(query.error);
  return { query, error, isCurrent };
}

function useSettledSpec(spec: Spec): Spec {
  const [settled, setSettled] = useState(spec);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(spec), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [spec]);
  return settled;
}

interface Verdict {
  tone: Tone;
  title: string;
  text?: ReactNode;
}

/** One headline for whatever is known. Pure. */
export function verdictOf(
  problems: readonly FieldProblem[],
  data: DryRun | undefined,
  error: ApiError | null,
): Verdict | null {
  if (problems.length > 0) return { tone: "cancelled", title: "Not ready to submit" };
  if (error !== null) {
    if (error.isOffline)
      return { tone: "preempted", title: "Not known: the platform does not answer", text: error.hint };
    const text = [error.detail, error.hint].filter(Boolean).join(" ");
    if (error.code === "can_never_fit") return { tone: "failed", title: "Can never fit", text };
    return { tone: "failed", title: "Would be refused", text };
  }
  if (data === undefined) return null;
  if (data.fits_now) return { tone: "succeeded", title: "Fits now", text: data.message };
  return { tone: "pending", title: "Would wait", text: data.message };
}

interface FitPanelProps {
  problems: readonly FieldProblem[];
  dryRun: ReturnType<typeof useDryRun>;
}

/** Whether it fits, what it takes, and its price, while it is being written. */
export function FitPanel({ problems, dryRun }: FitPanelProps) {
  const { query, error, isCurrent } = dryRun;
  const data = error === null ? query.data : undefined;
  const verdict = verdictOf(problems, data, error);
  return (
    <Panel title="Fit">
      <div className={styles.fit} aria-busy={!isCurrent}>
        <div role="status" className={styles.verdict}>
          {verdict === null ? (
            <span className={styles.quiet}>Asking the platform…</span>
          ) : (
            <>
              <p className={styles.headline} data-tone={verdict.tone}>
                <StatusIcon tone={verdict.tone} />
                {verdict.title}
              </p>
              {verdict.text !== undefined && <p>{verdict.text}</p>}
            </>
          )}
        </div>
        {problems.length > 0 && (
          <ul className={styles.problems}>
            {problems.slice(0, 5).map(({ field, message }) => (
              <li key={`${field} ${message}`}>
                <strong>{fieldInWords(field)}</strong> {message}
              </li>
            ))}
          </ul>
        )}
        {error?.isOffline === true && <Button onClick={() => void query.refetch()}>Try again</Button>}
        {error?.request_id != null && error.status >= 500 && <p className={styles.quiet}>Request {error.request_id}</p>}
        {problems.length === 0 && data !== undefined && data.placements.length > 0 && <Placements data={data} />}
      </div>
    </Panel>
  );
}

function Placements({ data }: { data: DryRun }) {
  const isPriced = data.price_per_hour > 0;
  return (
    <table className={styles.placements}>
      <thead>
        <tr>
          <th scope="col">Nodes</th>
          <th scope="col">Pool</th>
          {isPriced && <th scope="col">Price, estimate</th>}
        </tr>
      </thead>
      <tbody>
        {data.placements.map(({ group, pool, nodes, price_per_hour }) => (
          <tr key={group}>
            <td>
              {nodes} × {group}
            </td>
            <td>
              <code>{pool}</code>
            </td>
            {isPriced && (
              <td>
                <Price perHour={price_per_hour} />
              </td>
            )}
          </tr>
        ))}
      </tbody>
      {isPriced && (
        <tfoot>
          <tr>
            <td colSpan={2}>All</td>
            <td>
              <Price perHour={data.price_per_hour} />
            </td>
          </tr>
        </tfoot>
      )}
    </table>
  );
}
