import { useRef } from "react";
import { Button, IconButton } from "@/ui/Button";
import { ChoiceField, FieldFrame } from "@/ui/Field";
import { Plus, X } from "@/ui/icons";
import styles from "./Fields.module.css";
import { useField } from "./fields";
import type { Path, Schema } from "./schema";
import { toLine, toWords } from "./words";

/** What runs: a line for the shell, or exact arguments of which each has a field of its own. */
export function CommandField({ path, schema }: { path: Path; schema: Schema }) {
  const { value, error, set, label, hint } = useField({ path, schema });
  const isList = Array.isArray(value);
  const words = isList ? value.map(String) : [];
  const line = typeof value === "string" ? value : "";
  const change = (to: "shell" | "arguments") => {
    if (to === "arguments" && !isList) set(toWords(line).length === 0 ? [""] : toWords(line));
    if (to === "shell" && isList) set(toLine(words) || undefined);
  };
  return (
    <div className={`${styles.wide} ${styles.rows}`}>
      {isList ? (
        <Arguments words={words} onChange={(next) => set(next.length === 0 ? undefined : next)} error={error} />
      ) : (
        <FieldFrame label={label} hint={hint} error={error}>
          {(attributes) => (
            <textarea
              {...attributes}
              className={styles.area}
              rows={2}
              required
              spellCheck={false}
              autoComplete="off"
              placeholder="python train.py --epochs 5"
              value={line}
              onChange={(event) => set(event.target.value === "" ? undefined : event.target.value)}
            />
          )}
        </FieldFrame>
      )}
      <ChoiceField
        label="Run as"
        value={isList ? "arguments" : "shell"}
        options={[
          ["shell", "Shell line"],
          ["arguments", "Exact arguments"],
        ]}
        onChange={change}
      />
    </div>
  );
}

interface ArgumentsProps {
  words: string[];
  onChange: (words: string[]) => void;
  error: string | undefined;
}

/** Enter begins the next argument; Shift+Enter is a line break inside of one. */
function Arguments({ words, onChange, error }: ArgumentsProps) {
  const list = useRef<HTMLDivElement>(null);
  const change = (index: number, text: string) => onChange(words.map((word, at) => (at === index ? text : word)));
  const insertAfter = (index: number) => {
    onChange([...words.slice(0, index + 1), "", ...words.slice(index + 1)]);
    requestAnimationFrame(() => list.current?.querySelectorAll("textarea")[index + 1]?.focus());
  };
  return (
    <fieldset className={styles.group}>
      <legend>Arguments</legend>
      <div ref={list} className={styles.rows}>
        {words.map((word, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an argument is nothing but its place
          <div key={index} className={styles.row}>
            <textarea
              aria-label={index === 0 ? "Program" : `Argument ${index}`}
              aria-invalid={error === undefined ? undefined : true}
              rows={1}
              spellCheck={false}
              value={word}
              onChange={(event) => change(index, event.target.value)}
              onKeyDown={(event) => {
                if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
                event.preventDefault();
                insertAfter(index);
              }}
            />
            <IconButton
              label={`Remove argument ${index}`}
              onClick={() => onChange(words.filter((_, at) => at !== index))}
            >
              <X aria-hidden="true" />
            </IconButton>
          </div>
        ))}
        <div>
          <Button kind="quiet" icon={<Plus aria-hidden="true" />} onClick={() => insertAfter(words.length - 1)}>
            Add argument
          </Button>
        </div>
      </div>
      {error !== undefined && <p className={styles.error}>{error}</p>}
    </fieldset>
  );
}
