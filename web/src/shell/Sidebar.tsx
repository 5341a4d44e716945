import { useRouter, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { findProject, useMe } from "@/api/me";
import type { NavItem } from "@/features/feature";
import { features } from "@/features/registry";
import { useShortcut } from "@/shortcuts/registry";
import { ExternalLink } from "@/ui/icons";
import { useProjectOrNone } from "./project";
import styles from "./Sidebar.module.css";

const SECTIONS: [NavItem["section"], string][] = [
  ["project", "Project"],
  ["platform", "Platform"],
  ["admin", "Administration"],
];

const ITEMS: readonly NavItem[] = features.flatMap((feature) => feature.nav ?? []);

interface SidebarProps {
  /** On a phone: whether the drawer is out. */
  open: boolean;
  onClose: () => void;
}

/** The pages, by where they stand. On a narrow screen only icons; on a phone a drawer. */
export function Sidebar({ open, onClose }: SidebarProps) {
  const project = useProjectOrNone();
  const me = useMe();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const element = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawer closes when the page changes
  useEffect(onClose, [path]);
  useEffect(() => {
    if (open) element.current?.querySelector("a")?.focus();
  }, [open]);

  const shown = (section: NavItem["section"]) =>
    ITEMS.filter((item) => item.section === section && (section !== "project" || project !== null)).filter(
      () => section !== "admin" || me?.is_admin === true,
    );
  const mlflow = project === null ? undefined : findProject(me, project)?.mlflow_url;
  return (
    <>
      {open && <button type="button" className={styles.veil} aria-label="Close navigation" onClick={onClose} />}
      <nav
        ref={element}
        className={styles.side}
        data-open={open || undefined}
        aria-label="Pages"
        onKeyDown={(event) => event.key === "Escape" && onClose()}
      >
        {SECTIONS.map(([section, label]) => {
          const items = shown(section);
          return items.length === 0 ? null : (
            <div key={section}>
              <div className={styles.heading} id={`pages-${section}`}>
                {label}
              </div>
              <ul aria-labelledby={`pages-${section}`}>
                {items.map((item) => (
                  <NavLink key={item.label} item={item} project={project ?? ""} path={path} />
                ))}
                {section === "project" && mlflow !== undefined && (
                  <li>
                    <a className={styles.link} href={mlflow} title="MLflow">
                      <ExternalLink aria-hidden="true" />
                      <span>MLflow</span>
                    </a>
                  </li>
                )}
              </ul>
            </div>
          );
        })}
      </nav>
    </>
  );
}

function NavLink({ item, project, path }: { item: NavItem; project: string; path: string }) {
  const router = useRouter();
  const href = item.href(project);
  const Icon = item.icon;
  useShortcut(`g ${item.go}`, item.label, "Go to", () => router.history.push(href), item.go !== undefined);
  return (
    <li>
      <a
        className={styles.link}
        href={href}
        title={item.label}
        aria-current={isCurrent(href, path) ? "page" : undefined}
      >
        <Icon aria-hidden="true" />
        <span>{item.label}</span>
      </a>
    </li>
  );
}

/** The page itself, or one below it, unless another item is closer. */
function isCurrent(href: string, path: string): boolean {
  if (href === path) return true;
  const isBelow = path.startsWith(`${href}/`);
  const isHome = /^\/p\/[^/]+$/.test(href);
  return isBelow && !isHome && !(href === "/settings" && path.startsWith("/settings/tokens"));
}
