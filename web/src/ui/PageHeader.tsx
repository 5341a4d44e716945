import { type ReactNode, useEffect } from "react";
import styles from "./PageHeader.module.css";

interface PageHeaderProps {
  /** The one h1 of the page; also the title of the tab. */
  title: string;
  /** Where this stands: links to what is above it. */
  above?: { label: string; href: string }[];
  status?: ReactNode;
  meta?: ReactNode;
  actions?: ReactNode;
  /** Before the title in the tab, such as a sign for the phase. */
  tabMark?: string;
}

/** The head of a page. A change of page moves the focus to its h1 (see `shell/focus.ts`), so it must be there at once. */
export function PageHeader({ title, above = [], status, meta, actions, tabMark }: PageHeaderProps) {
  useEffect(() => {
    document.title = `${tabMark === undefined ? "" : `${tabMark} `}${title} · mlp`;
  }, [title, tabMark]);
  return (
    <header className={styles.header}>
      {above.length > 0 && (
        <nav aria-label="Breadcrumb" className={styles.above}>
          {above.map(({ label, href }) => (
            <a key={href} href={href}>
              {label}
            </a>
          ))}
        </nav>
      )}
      <div className={styles.line}>
        <h1 tabIndex={-1} data-page-title className={styles.title}>
          {title}
        </h1>
        {status}
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
      </div>
      {meta !== undefined && <div className={styles.meta}>{meta}</div>}
    </header>
  );
}
