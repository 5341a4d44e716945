import { type ReactNode, useId, useState } from "react";
import { Button } from "./Button";
import { Dialog } from "./Dialog";
import { notifyFailed } from "./notify";

interface ConfirmProps {
  title: string;
  /** The verb on the button: "Cancel 3 jobs". */
  verb: string;
  /** Must be typed first; for what cannot be taken back. */
  typed?: string;
  children: ReactNode;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}

/** Asks before something is stopped or deleted. Closes when it was done; stays, with a notice, when it failed. */
export function Confirm({ title, verb, typed, children, onConfirm, onClose }: ConfirmProps) {
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const fieldId = useId();
  const confirm = async () => {
    setBusy(true);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      notifyFailed(verb.charAt(0).toLowerCase() + verb.slice(1), error);
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Leave it</Button>
          <Button
            kind="danger"
            busy={busy}
            disabled={typed !== undefined && text !== typed}
            onClick={() => void confirm()}
          >
            {verb}
          </Button>
        </>
      }
    >
      <div>{children}</div>
      {typed !== undefined && (
        <label htmlFor={fieldId}>
          Type <code>{typed}</code> to go on
          <input id={fieldId} value={text} autoComplete="off" onChange={(event) => setText(event.target.value)} />
        </label>
      )}
    </Dialog>
  );
}
