import type { AnchorHTMLAttributes, ButtonHTMLAttributes, ReactNode } from "react";
import styles from "./Button.module.css";

interface Look {
  /** `primary` once per page; `danger` for what cannot be taken back. */
  kind?: "primary" | "plain" | "quiet" | "danger";
  icon?: ReactNode;
  /** Work is under way: pressing again does nothing. */
  busy?: boolean;
}

type ButtonProps = Look & ButtonHTMLAttributes<HTMLButtonElement>;

export function Button({ kind = "plain", icon, busy = false, className, children, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      aria-busy={busy || undefined}
      data-kind={kind}
      className={`${styles.button} ${className ?? ""}`}
      onClick={busy ? (event) => event.preventDefault() : onClick}
    >
      {icon}
      {children}
    </button>
  );
}

/** A link that looks like a button: it goes somewhere and changes nothing. */
export function ButtonLink({
  kind = "plain",
  icon,
  busy: _,
  className,
  children,
  ...rest
}: Look & AnchorHTMLAttributes<HTMLAnchorElement>) {
  return (
    <a {...rest} data-kind={kind} className={`${styles.button} ${className ?? ""}`}>
      {icon}
      {children}
    </a>
  );
}

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** What it does: its name for everybody, and its tooltip. */
  label: string;
  children: ReactNode;
}

export function IconButton({ label, className, children, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      title={label}
      aria-label={label}
      {...rest}
      className={`${styles.iconButton} ${className ?? ""}`}
    >
      {children}
    </button>
  );
}
