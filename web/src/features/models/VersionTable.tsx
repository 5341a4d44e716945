import { useMemo } from "react";
import { formatNumber } from "@/lib/format";
import { paths } from "@/lib/paths";
import { type Column, DataTable } from "@/ui/DataTable";
import { Time } from "@/ui/Time";
import { Aliases } from "./Aliases";
import styles from "./Model.module.css";
import { changeOf, measured, placeOf } from "./metrics";
import type { Version } from "./queries";

interface VersionTableProps {
  project: string;
  model: string;
  /** Newest first. */
  rows: readonly Version[];
  metric: string | undefined;
  /** The metric in the address, which links keep. */
  chosenMetric: string | undefined;
  shown: Version | undefined;
}

const TALLEST = 320;
const SHORT = 7;
const keyOf = (version: Version) => version.version;

/** Versions with one metric side by side. The shown one is marked; a row leads to it. */
export function VersionTable({ project, model, rows, metric, chosenMetric, shown }: VersionTableProps) {
  const columns = useMemo(() => columnsFor(project, rows, metric), [project, rows, metric]);
  const selected = useMemo(() => new Set(shown === undefined ? [] : [shown.version]), [shown]);
  const hrefOf = useMemo(
    () => (row: Version) => paths.model(project, model, { version: row.version, metric: chosenMetric }),
    [project, model, chosenMetric],
  );
  return (
    <DataTable
      label="Versions"
      rows={rows}
      columns={columns}
      rowKey={keyOf}
      rowHref={hrefOf}
      selected={selected}
      {...(rows.length > SHORT ? { height: TALLEST } : {})}
    />
  );
}

function columnsFor(project: string, rows: readonly Version[], metric: string | undefined): Column<Version>[] {
  const values = rows.map((row) => (metric === undefined ? undefined : measured(row, metric)));
  const indexOf = new Map(rows.map((row, index) => [row.version, index]));
  const at = ({ version }: Version) => indexOf.get(version) ?? 0;
  return [
    { id: "version", header: "Version", width: "76px", cell: ({ version }) => version },
    {
      id: "aliases",
      header: "Aliases",
      width: "minmax(80px, 1fr)",
      fold: "narrow",
      cell: ({ aliases }) => <Aliases names={aliases} />,
    },
    {
      id: "metric",
      header: metric ?? "Metric",
      width: "minmax(130px, 1.6fr)",
      cell: (row) => <Measure value={values[at(row)]} values={values} />,
    },
    {
      id: "change",
      header: "Change",
      width: "84px",
      align: "end",
      fold: "medium",
      cell: (row) => signed(changeOf(at(row), values)),
    },
    {
      id: "job",
      header: "Job",
      width: "minmax(90px, 1.2fr)",
      cell: ({ job }) => (job ? <a href={paths.job(project, job.id)}>{job.name}</a> : "–"),
    },
    {
      id: "created",
      header: "Created",
      width: "110px",
      fold: "narrow",
      cell: ({ created_at }) => <Time at={created_at} />,
    },
  ];
}

function Measure({ value, values }: { value: number | undefined; values: readonly (number | undefined)[] }) {
  if (value === undefined) return <>–</>;
  const place = placeOf(value, values);
  return (
    <span className={styles.measure}>
      <span className={styles.track} aria-hidden="true">
        {place !== null && <span className={styles.bar} style={{ width: `${place * 100}%` }} />}
      </span>
      <span className={`numeric ${styles.value}`}>{formatNumber(value)}</span>
    </span>
  );
}

function signed(change: number | undefined): string {
  if (change === undefined || Number.isNaN(change)) return "–";
  return change > 0 ? `+${formatNumber(change)}` : formatNumber(change);
}
