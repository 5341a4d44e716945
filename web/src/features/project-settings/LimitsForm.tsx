import { type FormEvent, useState } from "react";
import type { Project } from "@/api/me";
import { Button } from "@/ui/Button";
import { TextField } from "@/ui/Field";
import { LIMITS, type LimitTexts, limitsOf, textsOf } from "./limits";
import styles from "./ProjectSettingsPage.module.css";
import { useChangeProject } from "./queries";
import { sentenceOf, useSaving } from "./useSaving";

/** For administrators: what the live jobs and clusters of the project may use together. */
export function LimitsForm({ project }: { project: Project }) {
  const [texts, setTexts] = useState<LimitTexts>(() => textsOf(project.limits));
  const change = useChangeProject(project.name);
  const { busy, error, save } = useSaving();
  const wanted = limitsOf(texts);
  const wrong = "wrong" in wanted ? wanted.wrong : [];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (busy || !("limits" in wanted)) return;
    void save(() => change(project.etag, { limits: wanted.limits }), "The limits were changed.");
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <div className={styles.limits}>
        {LIMITS.map(([name, label, unit]) => (
          <TextField
            key={name}
            label={label}
            inputMode="decimal"
            autoComplete="off"
            placeholder="no limit"
            hint={unit}
            value={texts[name]}
            onChange={(value) => setTexts((now) => ({ ...now, [name]: value }))}
            error={wrong.includes(name) ? "A number, or nothing" : error?.fieldMessage(`limits.${name}`)}
          />
        ))}
      </div>
      {error !== null && (
        <p className={styles.error} role="alert">
          {sentenceOf(error)}
        </p>
      )}
      <Button type="submit" busy={busy} disabled={wrong.length > 0}>
        Save limits
      </Button>
    </form>
  );
}
