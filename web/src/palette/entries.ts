import type { LucideIcon } from "lucide-react";
import type { Project } from "@/api/me";
import type { Job } from "@/api/stream";
import type { Command, NavItem } from "@/features/feature";
import { paths } from "@/lib/paths";
import { rank } from "./match";

export interface Entry {
  id: string;
  group: "Pages" | "Actions" | "Jobs" | "Projects";
  label: string;
  detail?: string | undefined;
  icon?: LucideIcon | undefined;
  /** What is searched besides the label. */
  keywords?: string | undefined;
  run: () => void;
}

const MOST = { Pages: 8, Actions: 6, Jobs: 8, Projects: 6 } as const;
type Go = (href: string) => void;

export function pageEntries(items: readonly NavItem[], project: string | null, isAdmin: boolean, go: Go): Entry[] {
  return items
    .filter(({ section }) => (section !== "project" || project !== null) && (section !== "admin" || isAdmin))
    .map((item) => ({
      id: `page ${item.label}`,
      group: "Pages",
      label: item.label,
      detail: item.section === "project" ? (project ?? undefined) : undefined,
      icon: item.icon,
      run: () => go(item.href(project ?? "")),
    }));
}

export function commandEntries(commands: readonly Command[]): Entry[] {
  return commands.map((command) => ({ id: `action ${command.label}`, group: "Actions", ...command }));
}

export function jobEntries(project: string, jobs: readonly Job[], go: Go): Entry[] {
  return jobs.map((job) => ({
    id: job.id,
    group: "Jobs",
    label: job.name,
    detail: `${job.phase} · ${job.created_by}`,
    keywords: job.id,
    run: () => go(paths.job(project, job.id)),
  }));
}

export function projectEntries(projects: readonly Project[], current: string | null, go: Go): Entry[] {
  return projects
    .filter(({ name }) => name !== current)
    .map(({ name, description }) => ({
      id: `project ${name}`,
      group: "Projects",
      label: name,
      detail: description || undefined,
      keywords: `project ${description}`,
      run: () => go(paths.home(name)),
    }));
}

/** What is shown for `query`: the best of each group, groups in a fixed order. Jobs were searched by the platform already. */
export function arrange(entries: readonly Entry[], query: string): Entry[] {
  const groups: Entry["group"][] = ["Pages", "Jobs", "Actions", "Projects"];
  return groups.flatMap((group) => {
    const own = entries.filter((entry) => entry.group === group);
    if (group === "Jobs") return own.slice(0, MOST.Jobs);
    return rank(query, own, ({ label, keywords }) => `${label} ${keywords ?? ""}`, MOST[group]);
  });
}
