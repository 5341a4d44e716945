import { type FormEvent, useId, useState } from "react";
import { $api } from "@/api/client";
import { useMe } from "@/api/me";
import { Button } from "@/ui/Button";
import { CodeBlock } from "@/ui/Copy";
import { Dialog } from "@/ui/Dialog";
import { SelectField, TextField } from "@/ui/Field";
import styles from "./NewToken.module.css";

const LIFETIMES = [
  ["7d", "7 days"],
  ["30d", "30 days"],
  ["90d", "90 days"],
  ["365d", "1 year"],
] as const;
const ALL_PROJECTS = "";

/** Makes a token and shows it, once. It is never kept by this page. */
export function NewToken({ onClose, onMade }: { onClose: () => void; onMade: () => void }) {
  const me = useMe();
  const formId = useId();
  const [name, setName] = useState("");
  const [lifetime, setLifetime] = useState<(typeof LIFETIMES)[number][0]>("90d");
  const [project, setProject] = useState(ALL_PROJECTS);
  const create = $api.useMutation("post", "/api/v1/tokens", { onSuccess: onMade });
  const projects = [
    [ALL_PROJECTS, "All of mine"],
    ...(me?.projects ?? []).map((one) => [one.name, one.name] as const),
  ] as const;

  if (create.data !== undefined) {
    return (
      <Dialog
        title={`Token ${create.data.name}`}
        persistent
        onClose={onClose}
        actions={<Button onClick={onClose}>I have it</Button>}
      >
        <p>This is the only time that it is shown.</p>
        <CodeBlock text={create.data.token} what="token" />
      </Dialog>
    );
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (create.isPending) return;
    create.mutate({ body: { name, expires_in: lifetime, project: project === ALL_PROJECTS ? null : project } });
  };
  return (
    <Dialog
      title="New token"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button kind="primary" type="submit" form={formId} busy={create.isPending}>
            Make token
          </Button>
        </>
      }
    >
      <form id={formId} className={styles.form} onSubmit={submit}>
        <TextField
          label="Name"
          required
          maxLength={200}
          value={name}
          onChange={setName}
          hint="Where it will live, such as “nightly runs”."
          error={create.error?.detail}
        />
        <SelectField label="Good for" value={lifetime} options={LIFETIMES} onChange={setLifetime} />
        <SelectField label="Project" value={project} options={projects} onChange={setProject} />
      </form>
    </Dialog>
  );
}
