import type { Job } from "@/api/stream";
import { formatCount } from "@/lib/format";
import { paths } from "@/lib/paths";
import { Button, ButtonLink, IconButton } from "@/ui/Button";
import { GitCompare, OctagonX, RotateCcw, X } from "@/ui/icons";
import { type Change, canChange } from "./bulk";
import styles from "./Jobs.module.css";

/** A comparison shows at most so many. */
const MOST_COMPARED = 20;

interface BulkBarProps {
  project: string;
  jobs: readonly Job[];
  mayChange: boolean;
  onChange: (change: Change) => void;
  onClear: () => void;
}

/** What can be done with the selected jobs, with how many of them. What would do nothing is not shown. */
export function BulkBar({ project, jobs, mayChange, onChange, onClear }: BulkBarProps) {
  const cancellable = mayChange ? jobs.filter((job) => canChange("cancel", job)).length : 0;
  const retryable = mayChange ? jobs.filter((job) => canChange("retry", job)).length : 0;
  return (
    <section className={styles.bulk} aria-label="Selected jobs">
      <strong role="status">{formatCount(jobs.length)} selected</strong>
      {cancellable > 0 && (
        <Button kind="danger" icon={<OctagonX aria-hidden="true" />} onClick={() => onChange("cancel")}>
          Cancel {formatCount(cancellable)}
        </Button>
      )}
      {retryable > 0 && (
        <Button icon={<RotateCcw aria-hidden="true" />} onClick={() => onChange("retry")}>
          Retry {formatCount(retryable)}
        </Button>
      )}
      {jobs.length >= 2 && jobs.length <= MOST_COMPARED && (
        <ButtonLink
          href={paths.compare(
            project,
            jobs.map(({ id }) => id),
          )}
          icon={<GitCompare aria-hidden="true" />}
        >
          Compare
        </ButtonLink>
      )}
      <IconButton label="Clear the selection" onClick={onClear}>
        <X aria-hidden="true" />
      </IconButton>
    </section>
  );
}
