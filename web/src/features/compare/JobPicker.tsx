import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Plus } from "@/ui/icons";
import { MenuButton, MenuHeading, MenuList } from "@/ui/MenuList";
import { Popup } from "@/ui/Popup";
import { StatusIcon } from "@/ui/Status";
import { toneOf } from "@/ui/status";
import styles from "./Compare.module.css";
import { candidatesQuery } from "./queries";

const PAUSE_MS = 200;

interface JobPickerProps {
  project: string;
  taken: readonly string[];
  onPick: (id: string) => void;
}

/** Finds a job by the platform's own search, and adds it. Stays open, since one seldom comes alone. */
export function JobPicker({ project, taken, onPick }: JobPickerProps) {
  return (
    <Popup
      label="Add a job"
      align="end"
      buttonClass={styles.add}
      button={
        <>
          <Plus aria-hidden="true" />
          Add a job
        </>
      }
    >
      {() => <Candidates project={project} taken={taken} onPick={onPick} />}
    </Popup>
  );
}

function Candidates({ project, taken, onPick }: JobPickerProps) {
  const [text, setText] = useState("");
  const [asked, setAsked] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const found = useQuery({ ...candidatesQuery(project, asked), placeholderData: keepPreviousData }).data?.items ?? [];
  const shown = found.filter(({ id }) => !taken.includes(id));
  return (
    <div className={styles.picker}>
      <input
        // biome-ignore lint/a11y/noAutofocus: the panel was opened to type
        autoFocus
        aria-label="Find a job to compare"
        placeholder="Name, tag=value, or id"
        value={text}
        maxLength={200}
        onChange={(event) => setText(event.target.value)}
      />
      <MenuList label="Jobs">
        {shown.length === 0 && <MenuHeading>No other job is called that.</MenuHeading>}
        {shown.map(({ id, name, phase, created_by }) => (
          <MenuButton
            key={id}
            icon={<StatusIcon tone={toneOf(phase)} />}
            hint={`${phase}, by ${created_by}`}
            onClick={() => onPick(id)}
          >
            {name}
          </MenuButton>
        ))}
      </MenuList>
    </div>
  );
}
