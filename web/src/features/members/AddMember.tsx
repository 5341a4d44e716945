import { type FormEvent, useId, useState } from "react";
import { toApiError } from "@/api/errors";
import type { Role } from "@/api/me";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { SelectField, TextField } from "@/ui/Field";
import { notifyDone } from "@/ui/notify";
import styles from "./MembersPage.module.css";
import { giveRole } from "./queries";
import { MEANING, ROLES } from "./roles";

/** Gives a person, by username, a role in the project. */
export function AddMember({
  project,
  onClose,
  onAdded,
}: {
  project: string;
  onClose: () => void;
  onAdded: () => void;
}) {
  const [username, setUsername] = useState("");
  const [role, setRole] = useState<Role>("editor");
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const formId = useId();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    try {
      await giveRole(project, username.trim(), role);
      notifyDone(`${username.trim()} is ${role} of ${project}.`);
      onAdded();
      onClose();
    } catch (problem) {
      const { detail, hint } = toApiError(problem);
      setError([detail, hint].filter(Boolean).join(" "));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title="Add a member"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button kind="primary" type="submit" form={formId} busy={busy}>
            Add member
          </Button>
        </>
      }
    >
      <form id={formId} className={styles.form} onSubmit={(event) => void submit(event)}>
        <TextField
          label="Username"
          required
          maxLength={100}
          autoComplete="off"
          spellCheck={false}
          value={username}
          onChange={(value) => {
            setUsername(value);
            setError(undefined);
          }}
          hint="The account must be there; an administrator makes accounts."
          error={error}
        />
        <SelectField
          label="Role"
          value={role}
          options={ROLES}
          onChange={setRole}
          hint={`A member of this role ${MEANING[role]}.`}
        />
      </form>
    </Dialog>
  );
}
