import { type FormEvent, useState } from "react";
import type { Project } from "@/api/me";
import { Button } from "@/ui/Button";
import { TextField } from "@/ui/Field";
import styles from "./ProjectSettingsPage.module.css";
import { useChangeProject } from "./queries";
import { sentenceOf, useSaving } from "./useSaving";

export function DescriptionForm({ project }: { project: Project }) {
  const [text, setText] = useState(project.description);
  const change = useChangeProject(project.name);
  const { busy, error, save } = useSaving();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!busy) void save(() => change(project.etag, { description: text.trim() }), "The description was changed.");
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <TextField label="What it is for" maxLength={2000} value={text} onChange={setText} error={sentenceOf(error)} />
      <Button type="submit" busy={busy} disabled={text.trim() === project.description}>
        Save
      </Button>
    </form>
  );
}
