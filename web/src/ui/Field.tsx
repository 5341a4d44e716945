import { type InputHTMLAttributes, type ReactNode, useId } from "react";
import styles from "./Field.module.css";

interface Around {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
}

/** A label, its control, a hint and an error, tied together. `children` gets what the control must carry. */
export function FieldFrame({
  label,
  hint,
  error,
  children,
}: Around & { children: (attributes: FieldAttributes) => ReactNode }) {
  const id = useId();
  const more = [hint === undefined ? "" : `${id}-hint`, error === undefined ? "" : `${id}-error`]
    .filter(Boolean)
    .join(" ");
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      {children({ id, "aria-describedby": more || undefined, "aria-invalid": error === undefined ? undefined : true })}
      {hint !== undefined && (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} className={styles.error}>
          {error}
        </p>
      )}
    </div>
  );
}

export interface FieldAttributes {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": true | undefined;
}

interface TextFieldProps extends Around, Omit<InputHTMLAttributes<HTMLInputElement>, "onChange" | "value"> {
  value: string;
  onChange: (value: string) => void;
}

export function TextField({ label, hint, error, onChange, ...rest }: TextFieldProps) {
  return (
    <FieldFrame label={label} hint={hint} error={error}>
      {(attributes) => (
        <input {...rest} {...attributes} className={styles.input} onChange={(event) => onChange(event.target.value)} />
      )}
    </FieldFrame>
  );
}

interface ChoiceProps<T extends string> extends Around {
  value: T;
  options: readonly (readonly [value: T, label: string])[];
  onChange: (value: T) => void;
}

/** One of some: the browser's own select, which every keyboard, phone and reader knows. */
export function SelectField<T extends string>({ label, hint, error, value, options, onChange }: ChoiceProps<T>) {
  return (
    <FieldFrame label={label} hint={hint} error={error}>
      {(attributes) => (
        <select
          {...attributes}
          className={styles.input}
          value={value}
          onChange={(event) => onChange(event.target.value as T)}
        >
          {options.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      )}
    </FieldFrame>
  );
}

/** One of a few, all in view. */
export function ChoiceField<T extends string>({ label, hint, value, options, onChange }: ChoiceProps<T>) {
  const name = useId();
  return (
    <fieldset className={styles.choice}>
      <legend>{label}</legend>
      <div>
        {options.map(([option, text]) => (
          <label key={option} data-chosen={option === value || undefined}>
            <input type="radio" name={name} checked={option === value} onChange={() => onChange(option)} />
            {text}
          </label>
        ))}
      </div>
      {hint !== undefined && <p className={styles.hint}>{hint}</p>}
    </fieldset>
  );
}
