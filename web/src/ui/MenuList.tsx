import type { ReactNode } from "react";
import styles from "./MenuList.module.css";

/** Rows of actions and links inside of a `Popup`. */
export function MenuList({ label, children }: { label?: string; children: ReactNode }) {
  return (
    <ul className={styles.list} aria-label={label}>
      {children}
    </ul>
  );
}

interface ItemProps {
  icon?: ReactNode;
  /** A sentence below the label, such as why it cannot be used. */
  hint?: ReactNode;
  children: ReactNode;
}

export function MenuButton({
  icon,
  hint,
  children,
  pressed,
  onClick,
  disabled,
}: ItemProps & { pressed?: boolean; disabled?: boolean; onClick: () => void }) {
  return (
    <li>
      <button type="button" className={styles.item} aria-pressed={pressed} disabled={disabled} onClick={onClick}>
        {icon}
        <span>
          {children}
          {hint !== undefined && <small>{hint}</small>}
        </span>
      </button>
    </li>
  );
}

export function MenuLink({
  icon,
  hint,
  children,
  href,
  current = false,
  onClick,
}: ItemProps & { href: string; current?: boolean; onClick?: () => void }) {
  return (
    <li>
      <a className={styles.item} href={href} aria-current={current ? "true" : undefined} onClick={onClick}>
        {icon}
        <span>
          {children}
          {hint !== undefined && <small>{hint}</small>}
        </span>
      </a>
    </li>
  );
}

export function MenuHeading({ children }: { children: ReactNode }) {
  return <li className={styles.heading}>{children}</li>;
}
