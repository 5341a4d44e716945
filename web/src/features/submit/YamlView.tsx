import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import { Skeleton } from "@/ui/states";
import type { FieldProblem } from "./check";
import styles from "./Submit.module.css";
import type { Spec } from "./schema";
import { fromYaml, toYaml, type YamlProblem } from "./yaml";

const Editor = lazy(() => import("./editor"));
const HEIGHT = 520;

interface YamlViewProps {
  spec: Spec;
  /** What was typed; null where it follows from `spec`. */
  text: string | null;
  problems: readonly FieldProblem[];
  onType: (text: string, spec: Spec | null) => void;
}

/** The job as text. A text that is no job leaves the fields as they were, and says in which line. */
export default function YamlView({ spec, text, problems, onType }: YamlViewProps) {
  const shown = useMemo(() => text ?? toYaml(spec), [text, spec]);
  const reading = useMemo(() => fromYaml(shown), [shown]);
  const marks = useMemo(() => {
    if (reading.problem !== null) return [reading.problem];
    return problems.map(({ field, message }) => ({ line: reading.lineOf(field) ?? 1, message: `${field} ${message}` }));
  }, [reading, problems]);
  const settled = useQuietly(marks);
  return (
    <div className={styles.yaml}>
      <div className={styles.editor} style={{ height: HEIGHT }}>
        <Suspense fallback={<Skeleton height={HEIGHT} label="Loading the editor" />}>
          <Editor
            label="Job file"
            text={shown}
            marks={settled}
            onChange={(typed) => onType(typed, fromYaml(typed).spec)}
          />
        </Suspense>
      </div>
      <ul className={styles.problems} role="status">
        {settled.map(({ line, message }) => (
          <li key={`${line} ${message}`}>
            Line {line}: {message}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Complaints wait until the typing pauses: half a word is no mistake yet. */
function useQuietly(marks: readonly YamlProblem[]): readonly YamlProblem[] {
  const [settled, setSettled] = useState(marks);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(marks), 400);
    return () => clearTimeout(timer);
  }, [marks]);
  return settled;
}
