import { useState } from "react";
import { Button, IconButton } from "@/ui/Button";
import { FieldFrame } from "@/ui/Field";
import { Plus, X } from "@/ui/icons";
import styles from "./Fields.module.css";
import { useField } from "./fields";
import { isObject, type Path, type Schema, sameValue } from "./schema";

interface Props {
  path: Path;
  schema: Schema;
}

/** A list of words, one a line. */
export function LinesField(props: Props) {
  const { value, error, set, label, hint } = useField(props);
  const items = Array.isArray(value) ? value.map(String) : [];
  const [typed, setTyped] = useState(items.join("\n"));
  // What is typed stays as it is, blank lines too, as long as it means the value.
  const text = sameValue(linesOf(typed), items) ? typed : items.join("\n");
  return (
    <div className={styles.wide}>
      <FieldFrame label={label} hint={hint ?? "One a line."} error={error}>
        {(attributes) => (
          <textarea
            {...attributes}
            className={styles.area}
            rows={3}
            spellCheck={false}
            value={text}
            onChange={(event) => {
              setTyped(event.target.value);
              const lines = linesOf(event.target.value);
              set(lines.length === 0 ? undefined : lines);
            }}
          />
        )}
      </FieldFrame>
    </div>
  );
}

function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}

type Pair = readonly [name: string, value: string];

/** Names with values. */
export function PairsField(props: Props) {
  const { value, error, set, label, hint } = useField(props);
  const given = isObject(value) ? Object.entries(value).map(([name, text]): Pair => [name, String(text)]) : [];
  const [typed, setTyped] = useState<readonly Pair[]>(given);
  // A row without a name means nothing yet, and is kept until it does.
  const rows = sameValue(objectOf(typed), objectOf(given)) ? typed : given;
  const names = rows.map(([name]) => name);
  const change = (next: readonly Pair[]) => {
    setTyped(next);
    const object = objectOf(next);
    set(Object.keys(object).length === 0 ? undefined : object);
  };
  return (
    <fieldset className={styles.group}>
      <legend>{label}</legend>
      {hint !== undefined && <p>{hint}</p>}
      <div className={styles.rows}>
        {rows.map(([name, text], index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the name is what is being typed
          <div key={index} className={`${styles.row} ${styles.pair}`}>
            <input
              aria-label={`Name ${index + 1} of ${label.toLowerCase()}`}
              aria-invalid={name !== "" && names.indexOf(name) !== index ? true : undefined}
              placeholder="NAME"
              value={name}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => change(rows.map((row, at) => (at === index ? [event.target.value, row[1]] : row)))}
            />
            <input
              aria-label={`Value of ${name || `name ${index + 1}`}`}
              placeholder="value"
              value={text}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => change(rows.map((row, at) => (at === index ? [row[0], event.target.value] : row)))}
            />
            <IconButton
              label={`Remove ${name || `row ${index + 1}`}`}
              onClick={() => change(rows.filter((_, at) => at !== index))}
            >
              <X aria-hidden="true" />
            </IconButton>
          </div>
        ))}
        <div>
          <Button kind="quiet" icon={<Plus aria-hidden="true" />} onClick={() => change([...rows, ["", ""]])}>
            Add to {label.toLowerCase()}
          </Button>
        </div>
      </div>
      {error !== undefined && <p className={styles.error}>{error}</p>}
    </fieldset>
  );
}

/** Of a name that is given twice the later value counts, as in a shell. */
function objectOf(pairs: readonly Pair[]): Record<string, string> {
  return Object.fromEntries(pairs.filter(([name]) => name !== ""));
}
