import { useState } from "react";
import { type Project, useMe } from "@/api/me";
import { paths } from "@/lib/paths";
import { ChevronsUpDown, FolderKanban } from "@/ui/icons";
import { MenuLink, MenuList } from "@/ui/MenuList";
import { Popup } from "@/ui/Popup";
import styles from "./ProjectSwitcher.module.css";
import { useProjectOrNone } from "./project";

const FILTER_FROM = 8;

/** The project in the address, and the way to others. */
export function ProjectSwitcher() {
  const project = useProjectOrNone();
  const me = useMe();
  return (
    <Popup
      label={project === null ? "Choose a project" : `Project ${project}. Choose another`}
      buttonClass={styles.button}
      button={
        <>
          <span className={styles.name}>{project ?? "Choose a project"}</span>
          <ChevronsUpDown aria-hidden="true" />
        </>
      }
    >
      {(close) => <ProjectList projects={me?.projects ?? []} current={project} onChosen={close} />}
    </Popup>
  );
}

function ProjectList({
  projects,
  current,
  onChosen,
}: {
  projects: Project[];
  current: string | null;
  onChosen: () => void;
}) {
  const [filter, setFilter] = useState("");
  const shown = projects.filter(({ name }) => name.includes(filter.trim().toLowerCase()));
  return (
    <>
      {projects.length >= FILTER_FROM && (
        <input
          className={styles.filter}
          // biome-ignore lint/a11y/noAutofocus: the panel was opened to choose, and typing is how
          autoFocus
          placeholder="Find a project"
          aria-label="Find a project"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
      )}
      <MenuList label="Projects">
        {shown.map(({ name, description, live_jobs }) => (
          <MenuLink
            key={name}
            href={paths.home(name)}
            current={name === current}
            hint={
              live_jobs === undefined || live_jobs === 0 ? description || undefined : `${live_jobs} running or waiting`
            }
            onClick={onChosen}
          >
            {name}
          </MenuLink>
        ))}
        <MenuLink href={paths.projects()} icon={<FolderKanban aria-hidden="true" />} onClick={onChosen}>
          All projects
        </MenuLink>
      </MenuList>
    </>
  );
}
