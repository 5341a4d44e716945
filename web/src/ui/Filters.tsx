import { type ReactNode, useEffect, useRef, useState } from "react";
import { useShortcut } from "@/shortcuts/registry";
import styles from "./Filters.module.css";

const PAUSE_MS = 250;

/** What narrows a list, in one line above it. */
export function FilterBar({ children }: { children: ReactNode }) {
  return (
    <div role="search" className={styles.bar} aria-label="Filters">
      {children}
    </div>
  );
}

interface FilterTextProps {
  label: string;
  placeholder?: string;
  value: string;
  onChange: (value: string) => void;
}

/** Text to find, applied when the typing pauses. `/` goes there from anywhere. */
export function FilterText({ label, placeholder = label, value, onChange }: FilterTextProps) {
  const [text, setText] = useState(value);
  const field = useRef<HTMLInputElement>(null);
  const applied = useRef(value);
  useShortcut("/", "Find in this list", "Lists", () => field.current?.focus());
  useEffect(() => {
    // The address changed by other means, such as going back: it has the say.
    if (value !== applied.current) {
      applied.current = value;
      setText(value);
    }
  }, [value]);
  useEffect(() => {
    const wanted = text.trim();
    if (wanted === applied.current) return undefined;
    const timer = setTimeout(() => {
      applied.current = wanted;
      onChange(wanted);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, onChange]);
  return (
    <input
      ref={field}
      type="search"
      className={styles.text}
      aria-label={label}
      placeholder={placeholder}
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  );
}

interface FilterChipsProps<T extends string> {
  label: string;
  options: readonly (readonly [value: T, shown: ReactNode])[];
  chosen: readonly T[];
  onChange: (chosen: T[]) => void;
}

/** Any of a few values; none pressed means all. */
export function FilterChips<T extends string>({ label, options, chosen, onChange }: FilterChipsProps<T>) {
  const toggle = (value: T) =>
    onChange(chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value]);
  return (
    <fieldset className={styles.chips}>
      <legend className="visually-hidden">{label}</legend>
      {options.map(([value, shown]) => (
        <button key={value} type="button" aria-pressed={chosen.includes(value)} onClick={() => toggle(value)}>
          {shown}
        </button>
      ))}
    </fieldset>
  );
}

interface FilterSelectProps<T extends string> {
  label: string;
  value: T;
  options: readonly (readonly [value: T, text: string])[];
  onChange: (value: T) => void;
}

/** One of some, in a list that opens. */
export function FilterSelect<T extends string>({ label, value, options, onChange }: FilterSelectProps<T>) {
  return (
    <select
      className={styles.select}
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.target.value as T)}
    >
      {options.map(([option, text]) => (
        <option key={option} value={option}>
          {text}
        </option>
      ))}
    </select>
  );
}
