import { type FormEvent, useEffect, useState } from "react";
import { paths } from "@/lib/paths";
import { stringifySearch } from "@/lib/search";
import { Button, IconButton } from "@/ui/Button";
import { CopyButton } from "@/ui/Copy";
import { TextField } from "@/ui/Field";
import { Tag, Trash2 } from "@/ui/icons";
import { MenuHeading, MenuLink, MenuList } from "@/ui/MenuList";
import { notifyDone } from "@/ui/notify";
import { Popup } from "@/ui/Popup";
import styles from "./Jobs.module.css";
import type { JobsSearch } from "./search";
import { forgetView, keepView, readViews, type View } from "./views";

interface ViewsProps {
  project: string;
  username: string | undefined;
  search: JobsSearch;
}

/** Filters, order and columns under a name. They are an address, which is what the copy button copies. */
export function Views({ project, username, search }: ViewsProps) {
  const [views, setViews] = useState<View[]>([]);
  useEffect(() => {
    if (username !== undefined) setViews(readViews(username, project));
  }, [username, project]);
  const now = stringifySearch(search);
  const current = views.find((view) => view.search === now);
  if (username === undefined) return null;
  return (
    <Popup
      label="Views"
      buttonClass={styles.tool}
      button={
        <>
          <Tag aria-hidden="true" />
          {current?.name ?? "Views"}
        </>
      }
    >
      {(close) => (
        <>
          <MenuList label="Views">
            {views.length === 0 && <MenuHeading>No saved views yet</MenuHeading>}
            {views.map((view) => (
              <li key={view.name} className={styles.view}>
                <ul>
                  <MenuLink href={`${paths.jobs(project)}${view.search}`} current={view === current} onClick={close}>
                    {view.name}
                  </MenuLink>
                </ul>
                <CopyButton
                  text={`${globalThis.location.origin}${paths.jobs(project)}${view.search}`}
                  what={`link to ${view.name}`}
                />
                <IconButton
                  label={`Forget ${view.name}`}
                  onClick={() => setViews(forgetView(username, project, view.name))}
                >
                  <Trash2 aria-hidden="true" />
                </IconButton>
              </li>
            ))}
          </MenuList>
          <SaveView
            onSave={(name) => {
              setViews(keepView(username, project, { name, search: now }));
              notifyDone(`View ${name} was saved.`);
              close();
            }}
          />
        </>
      )}
    </Popup>
  );
}

function SaveView({ onSave }: { onSave: (name: string) => void }) {
  const [name, setName] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== "") onSave(name.trim());
  };
  return (
    <form className={styles.viewForm} onSubmit={submit}>
      <TextField label="Save what is shown as" value={name} maxLength={60} autoComplete="off" onChange={setName} />
      <Button type="submit">Save view</Button>
    </form>
  );
}
