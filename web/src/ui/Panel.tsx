import { type ReactNode, useId } from "react";
import styles from "./Panel.module.css";

interface PanelProps {
  title: string;
  /** Beside the title: a count, a link, a button. */
  aside?: ReactNode;
  children: ReactNode;
  /** Without inner space, for tables. */
  flush?: boolean;
}

/** A part of a page with a heading. Each fails and loads for itself. */
export function Panel({ title, aside, children, flush = false }: PanelProps) {
  const id = useId();
  return (
    <section className={styles.panel} aria-labelledby={id}>
      <div className={styles.head}>
        <h2 id={id}>{title}</h2>
        {aside !== undefined && <div className={styles.aside}>{aside}</div>}
      </div>
      <div className={flush ? styles.flush : styles.body}>{children}</div>
    </section>
  );
}

/** Facts as label and value. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className={styles.facts}>{children}</dl>;
}

export function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
