import type { components } from "@openapi";
import { useMemo } from "react";
import { TimeSeries } from "@/charts/TimeSeries";
import { SelectField } from "@/ui/Field";
import { Panel } from "@/ui/Panel";
import styles from "./Compare.module.css";
import { curvesOf } from "./metrics";

interface MetricChartProps {
  jobs: readonly { id: string; name: string; series: readonly components["schemas"]["MetricSeries"][] | undefined }[];
  chosen: string | undefined;
  onChoose: (key: string) => void;
}

/** One metric of all jobs over each other; each job in the colour of its column. */
export function MetricChart({ jobs, chosen, onChoose }: MetricChartProps) {
  const keys = useMemo(() => keysByUse(jobs), [jobs]);
  const key = chosen !== undefined && keys.includes(chosen) ? chosen : keys[0];
  const curves = useMemo(() => (key === undefined ? [] : curvesOf(key, jobs)), [key, jobs]);
  if (key === undefined) {
    return (
      <Panel title="Metrics over steps">
        <p className={styles.note}>None of these jobs has logged a metric.</p>
      </Panel>
    );
  }
  return (
    <Panel title="Metrics over steps">
      <div className={styles.chart}>
        <SelectField label="Metric" value={key} options={keys.map((one) => [one, one] as const)} onChange={onChoose} />
        <TimeSeries title={key} curves={curves} xKind="step" height={280} />
      </div>
    </Panel>
  );
}

/** Those that most jobs have, first: they are what can be compared. */
export function keysByUse(jobs: MetricChartProps["jobs"]): string[] {
  const uses = new Map<string, number>();
  for (const { series } of jobs) for (const { key } of series ?? []) uses.set(key, (uses.get(key) ?? 0) + 1);
  return [...uses].sort(([a, used], [b, other]) => other - used || a.localeCompare(b)).map(([key]) => key);
}
