import { useState } from "react";
import type { Job } from "@/api/stream";
import { colourToken } from "@/charts/colours";
import { plural } from "@/lib/format";
import { paths } from "@/lib/paths";
import { Button, IconButton } from "@/ui/Button";
import { ArrowUp, X } from "@/ui/icons";
import { Status } from "@/ui/Status";
import styles from "./Compare.module.css";
import { differs, type Row, type Section } from "./model";

/** Rows of a section that are shown before one asks for more: code and locks can have thousands. */
const FIRST_ROWS = 40;

interface CompareTableProps {
  project: string;
  jobs: readonly Job[];
  sections: readonly Section[];
  /** Also what is the same in all. */
  all: boolean;
  onJobs: (ids: string[]) => void;
}

/** Jobs as columns. The first one is the measure: what differs from it is marked. */
export function CompareTable({ project, jobs, sections, all, onJobs }: CompareTableProps) {
  const ids = jobs.map(({ id }) => id);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <div className={styles.scroller} role="region" aria-label="Comparison" tabIndex={0}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">
              <span className="visually-hidden">What is compared</span>
            </th>
            {jobs.map((job, index) => (
              <th key={job.id} scope="col">
                <div className={styles.job}>
                  <i aria-hidden="true" style={{ background: colourToken(index) }} />
                  <a href={paths.job(project, job.id)} title={job.id}>
                    {job.name}
                  </a>
                  {index > 0 && (
                    <IconButton
                      label={`Measure the others by ${job.name}`}
                      onClick={() => onJobs([job.id, ...ids.filter((id) => id !== job.id)])}
                    >
                      <ArrowUp aria-hidden="true" style={{ rotate: "-90deg" }} />
                    </IconButton>
                  )}
                  <IconButton label={`Leave out ${job.name}`} onClick={() => onJobs(ids.filter((id) => id !== job.id))}>
                    <X aria-hidden="true" />
                  </IconButton>
                </div>
                <Status phase={job.phase} />
              </th>
            ))}
          </tr>
        </thead>
        {sections.map((section) => (
          <SectionRows key={section.title} section={section} all={all} columns={jobs.length} />
        ))}
      </table>
    </div>
  );
}

function SectionRows({ section, all, columns }: { section: Section; all: boolean; columns: number }) {
  const [limit, setLimit] = useState(FIRST_ROWS);
  const different = section.rows.filter(differs);
  const shown = all ? [...different, ...section.rows.filter((row) => !differs(row))] : different;
  return (
    <tbody>
      <tr className={styles.section}>
        <th scope="rowgroup" colSpan={columns + 1}>
          <span>
            {section.title}
            <small>{sectionInWords(section.rows.length, different.length)}</small>
          </span>
        </th>
      </tr>
      {shown.slice(0, limit).map((row) => (
        <CompareRow key={row.name} row={row} linkOf={section.linkOf} />
      ))}
      {shown.length > limit && (
        <tr>
          <td colSpan={columns + 1}>
            <Button kind="quiet" onClick={() => setLimit(shown.length)}>
              Show {plural(shown.length - limit, "more row")}
            </Button>
          </td>
        </tr>
      )}
    </tbody>
  );
}

export function sectionInWords(rows: number, different: number): string {
  if (rows === 0) return "none";
  if (different === 0) return "the same in all";
  return `${different} of ${rows} differ`;
}

function CompareRow({ row, linkOf }: { row: Row; linkOf: Section["linkOf"] }) {
  const [measure] = row.values;
  return (
    <tr data-differs={differs(row) || undefined}>
      <th scope="row" title={row.name}>
        {row.name}
      </th>
      {row.values.map((value, index) => {
        const isBest = row.best?.includes(index) === true;
        const isChanged = index > 0 && value !== measure;
        const link = isChanged ? linkOf?.(row, index) : undefined;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
          <td key={index} data-changed={isChanged || undefined} title={value}>
            <span>{value ?? "–"}</span>
            {isBest && <b>best</b>}
            {link !== undefined && <a href={link}>Lines that differ</a>}
          </td>
        );
      })}
    </tr>
  );
}
