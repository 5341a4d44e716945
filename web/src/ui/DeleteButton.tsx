import { type ReactNode, useId, useState } from "react";
import { Button } from "./Button";
import { Confirm } from "./Confirm";
import styles from "./DeleteButton.module.css";
import { Trash2 } from "./icons";

interface DeleteButtonProps {
  /** What is deleted: "package 4f5a…". */
  what: string;
  /** Why it cannot be deleted now, in a sentence; null when it can. */
  blocked: string | null;
  /** What it means, in the question. */
  children: ReactNode;
  onDelete: () => Promise<unknown>;
}

/**
 * Deletes something after a question. Where that would be refused, it says why instead: the button stays in the order of the
 * keyboard, so that everybody can read the reason.
 */
export function DeleteButton({ what, blocked, children, onDelete }: DeleteButtonProps) {
  const [asking, setAsking] = useState(false);
  const reasonId = useId();
  return (
    <>
      {blocked !== null && (
        <span id={reasonId} className={styles.reason}>
          {blocked}
        </span>
      )}
      <Button
        kind="danger"
        icon={<Trash2 aria-hidden="true" />}
        aria-disabled={blocked !== null || undefined}
        aria-describedby={blocked === null ? undefined : reasonId}
        onClick={() => blocked === null && setAsking(true)}
      >
        Delete
      </Button>
      {asking && (
        <Confirm title={`Delete ${what}?`} verb="Delete" onConfirm={onDelete} onClose={() => setAsking(false)}>
          {children}
        </Confirm>
      )}
    </>
  );
}
