import { useState } from "react";
import { CodeBlock } from "@/ui/Copy";
import { ChoiceField } from "@/ui/Field";
import { Panel } from "@/ui/Panel";
import { toCommand } from "./copy-as/cli";
import { toCurl } from "./copy-as/curl";
import { toPython } from "./copy-as/python";
import styles from "./Submit.module.css";
import type { Spec } from "./schema";
import { toYaml } from "./yaml";

type Form = "yaml" | "cli" | "python" | "curl";

const HINTS: Record<Form, string> = {
  yaml: "A job file: mlp job submit -f mlp.yaml",
  cli: "For a shell that is signed in with mlp login.",
  python: "With the client of this platform installed, and signed in.",
  curl: "The token comes from the environment: MLP_TOKEN.",
};

/** The very job of the form, as it is sent by other means. */
export default function CopyAs({ project, spec }: { project: string; spec: Spec }) {
  const [form, setForm] = useState<Form>("yaml");
  return (
    <Panel title="Copy as">
      <div className={styles.copyAs}>
        <ChoiceField
          label="Form"
          value={form}
          options={[
            ["yaml", "YAML"],
            ["cli", "CLI"],
            ["python", "Python"],
            ["curl", "curl"],
          ]}
          onChange={setForm}
        />
        <CodeBlock text={textOf(form, spec, project)} what={form === "yaml" ? "job file" : `job as ${form}`} />
        <p className={styles.quiet}>{HINTS[form]}</p>
      </div>
    </Panel>
  );
}

function textOf(form: Form, spec: Spec, project: string): string {
  if (form === "yaml") return toYaml(spec);
  if (form === "cli") return toCommand(spec, project);
  return form === "python" ? toPython(spec, project) : toCurl(spec, project, globalThis.location.origin);
}
