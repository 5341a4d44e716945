import { createContext, useContext } from "react";
import { FieldFrame, SelectField, TextField } from "@/ui/Field";
import { inWords } from "@/ui/status";
import { CommandField } from "./CommandField";
import styles from "./Fields.module.css";
import { LinesField, PairsField } from "./ListFields";
import { ListOfGroups } from "./ListOfGroups";
import { defaultText, kindOf, labelOf, type Path, resolve, type Schema, type Spec, valueAt } from "./schema";

export interface Option {
  value: string;
  label: string;
}

export interface FormContext {
  spec: Spec;
  set: (path: Path, value: unknown) => void;
  problemOf: (field: string) => string | undefined;
  /** What the platform has to choose from, for fields that name such a thing; null where the field is free text. */
  optionsOf: (field: string) => Option[] | null;
}

const Context = createContext<FormContext | null>(null);
export const FormProvider = Context.Provider;

export function useForm(): FormContext {
  const form = useContext(Context);
  if (form === null) throw new Error("a field of the form stands outside of it");
  return form;
}

interface FieldProps {
  path: Path;
  schema: Schema;
}

/** The control of whatever the schema says; groups hold further ones. */
export function SchemaField({ path, schema }: FieldProps) {
  switch (kindOf(schema)) {
    case "group":
      return <GroupField path={path} schema={schema} />;
    case "list":
      return <ListOfGroups path={path} schema={schema} />;
    case "lines":
      return <LinesField path={path} schema={schema} />;
    case "pairs":
      return <PairsField path={path} schema={schema} />;
    case "command":
      return <CommandField path={path} schema={schema} />;
    case "choices":
      return <ChoicesField path={path} schema={schema} />;
    case "choice":
      return <ChoiceOfField path={path} schema={schema} />;
    default:
      return <PlainField path={path} schema={schema} />;
  }
}

/** All fields of an object, those that need much room below the others. */
export function GroupFields({ path, schema }: FieldProps) {
  const fields = Object.entries(resolve(schema).properties ?? {});
  return (
    <div className={styles.grid}>
      {fields.map(([name, property]) => (
        <SchemaField key={name} path={[...path, name]} schema={property} />
      ))}
    </div>
  );
}

function GroupField({ path, schema }: FieldProps) {
  const { description } = resolve(schema);
  return (
    <fieldset className={styles.group}>
      <legend>{labelOf(String(path.at(-1)))}</legend>
      {description !== undefined && <p>{description}</p>}
      <GroupFields path={path} schema={schema} />
    </fieldset>
  );
}

/** What every control needs: its words, its value, its complaint. */
export function useField({ path, schema }: FieldProps) {
  const form = useForm();
  const field = path.join(".");
  const { description } = resolve(schema);
  return {
    field,
    label: labelOf(String(path.at(-1))),
    hint: description,
    value: valueAt(form.spec, path),
    error: form.problemOf(field),
    set: (value: unknown) => form.set(path, value),
    options: form.optionsOf(field),
  };
}

function PlainField({ path, schema }: FieldProps) {
  const { label, hint, value, error, set, options } = useField({ path, schema });
  const kind = kindOf(schema);
  const { examples = [], maxLength } = resolve(schema);
  const usual = defaultText(schema);
  if (options !== null)
    return <OptionsField label={label} hint={hint} value={value} error={error} set={set} options={options} />;
  if (kind === "moment") {
    return (
      <TextField
        label={`${label} (UTC)`}
        hint={hint}
        error={error}
        type="datetime-local"
        value={
          typeof value === "string" && !Number.isNaN(Date.parse(value))
            ? new Date(value).toISOString().slice(0, 16)
            : ""
        }
        onChange={(text) => set(text === "" ? undefined : `${text}:00Z`)}
      />
    );
  }
  return (
    <TextField
      label={label}
      hint={hint}
      error={error}
      value={value === undefined || value === null ? "" : String(value)}
      placeholder={usual || (examples.length > 0 ? `such as ${examples.join(" or ")}` : undefined)}
      inputMode={kind === "number" ? "decimal" : undefined}
      maxLength={maxLength}
      autoComplete="off"
      spellCheck={false}
      onChange={(text) => set(kind === "number" ? numberFrom(text) : text === "" ? undefined : text)}
    />
  );
}

/** What is no number stays as it was typed, and is complained about. */
function numberFrom(text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  return /^-?\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : text;
}

interface OptionsFieldProps {
  label: string;
  hint: string | undefined;
  value: unknown;
  error: string | undefined;
  set: (value: unknown) => void;
  options: Option[];
}

function OptionsField({ label, hint, value, error, set, options }: OptionsFieldProps) {
  const text = value === undefined || value === null ? "" : String(value);
  const known = text === "" || options.some((option) => option.value === text);
  const all = [["", "–"], ...(known ? [] : [[text, text]]), ...options.map((option) => [option.value, option.label])];
  return (
    <SelectField
      label={label}
      hint={hint}
      error={error}
      value={text}
      options={all as [string, string][]}
      onChange={(chosen) => set(chosen === "" ? undefined : chosen)}
    />
  );
}

function ChoiceOfField({ path, schema }: FieldProps) {
  const { label, hint, value, error, set } = useField({ path, schema });
  const usual = defaultText(schema);
  const words = resolve(schema).enum ?? [];
  return (
    <SelectField
      label={label}
      hint={hint}
      error={error}
      value={typeof value === "string" ? value : usual}
      options={words.map((word) => [word, inWords(word)] as const)}
      onChange={(word) => set(word === usual ? undefined : word)}
    />
  );
}

function ChoicesField({ path, schema }: FieldProps) {
  const { label, value, error, set } = useField({ path, schema });
  const resolved = resolve(schema);
  const words = resolve(resolved.items ?? {}).enum ?? [];
  const chosen = (Array.isArray(value) ? value : Array.isArray(resolved.default) ? resolved.default : []) as string[];
  const toggle = (word: string) =>
    set(chosen.includes(word) ? chosen.filter((one) => one !== word) : [...chosen, word]);
  return (
    <div className={styles.wide}>
      <FieldFrame label={label} error={error}>
        {(attributes) => (
          <div {...attributes} role="group" aria-label={label} className={styles.boxes}>
            {words.map((word) => (
              <label key={word}>
                <input type="checkbox" checked={chosen.includes(word)} onChange={() => toggle(word)} />
                {inWords(word)}
              </label>
            ))}
          </div>
        )}
      </FieldFrame>
    </div>
  );
}
