import { useQueries, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { Range } from "@/charts/series";
import { TimeSeries } from "@/charts/TimeSeries";
import { plural } from "@/lib/format";
import { Button } from "@/ui/Button";
import { Empty, Loadable, NothingMatches } from "@/ui/states";
import { hasEnded } from "@/ui/status";
import { type JobSearch, useJobSearch } from "../address";
import { attemptsQuery, type Job, type JobKey, metricsQuery } from "../queries";
import { curvesOf, filterKeys, groupsOf, isThinned, type Labelled } from "./curves";
import styles from "./Metrics.module.css";
import { MetricsToolbar } from "./MetricsToolbar";

/** So many charts at first, and so many more each time: a canvas each is dear. */
const SHOWN = 24;
const FIRST_STEPS = `from mlp import runtime

runtime.log_metrics({"loss": 0.42}, step=1)`;

/** What the job measured, by step or time; attempts merged or side by side. */
export default function MetricsTab({ job }: { job: Job }) {
  const [search] = useJobSearch();
  const key = { project: job.project, job: job.id };
  const isLive = !hasEnded(job.phase);
  const all = useQuery(metricsQuery(key, undefined, undefined, isLive));
  return (
    <Loadable query={all} what="load the metrics" height={420}>
      {({ keys = [], series }) =>
        keys.length === 0 ? (
          <Empty title={isLive ? "No metrics yet" : "It logged no metrics"} command={FIRST_STEPS}>
            <p>Any MLflow call works too: the job's run is set up for it.</p>
          </Empty>
        ) : (
          <Charts job={job} jobKey={key} keys={keys} merged={series} search={search} isLive={isLive} />
        )
      }
    </Loadable>
  );
}

interface ChartsProps {
  job: Job;
  jobKey: JobKey;
  keys: string[];
  merged: Labelled["series"];
  search: JobSearch;
  isLive: boolean;
}

function Charts({ job, jobKey, keys, merged, search, isLive }: ChartsProps) {
  const [, change] = useJobSearch();
  const { q = "", x = "step", smooth = 0, log = false, each = false } = search;
  const [most, setMost] = useState(SHOWN);
  const fitting = useMemo(() => filterKeys(keys, q), [keys, q]);
  const shown = fitting.slice(0, most);
  const sources = useSources({ job, jobKey, shown, merged, isLive, each });
  const range = rangeOf(search);
  const onRange = (next: Range | null) =>
    change({ from: next === null ? undefined : String(next.from), to: next === null ? undefined : String(next.to) });
  return (
    <div className={styles.page}>
      <MetricsToolbar attempts={job.attempt} keys={keys.length} />
      {fitting.length === 0 ? (
        <NothingMatches what="metrics" onClear={() => change({ q: undefined })} />
      ) : (
        groupsOf(shown).map(({ prefix, keys: group }) => (
          <section key={prefix} className={styles.group} aria-label={prefix === "" ? "Metrics" : prefix}>
            <h2 className={prefix === "" ? "visually-hidden" : undefined}>{prefix === "" ? "Metrics" : prefix}</h2>
            <div className={styles.charts}>
              {group.map((name) => (
                <MetricChart
                  key={name}
                  name={name}
                  sources={sources}
                  x={x}
                  smooth={smooth}
                  isLog={log}
                  range={range}
                  onRange={onRange}
                />
              ))}
            </div>
          </section>
        ))
      )}
      {fitting.length > most && (
        <div className={styles.more}>
          <Button onClick={() => setMost(most + SHOWN)}>Show {Math.min(SHOWN, fitting.length - most)} more</Button>
          <span>{plural(fitting.length - most, "metric is", "metrics are")} not shown</span>
        </div>
      )}
      {isThinned(merged) && (
        <p className={styles.note}>
          Long series are thinned by the platform; lows and highs stay. The run in MLflow has every point.
        </p>
      )}
    </div>
  );
}

interface MetricChartProps {
  name: string;
  sources: readonly Labelled[];
  x: "step" | "wall" | "relative";
  smooth: number;
  isLog: boolean;
  range: Range | null;
  onRange: (range: Range | null) => void;
}

function MetricChart({ name, sources, x, smooth, isLog, range, onRange }: MetricChartProps) {
  const curves = useMemo(() => curvesOf(name, sources, x), [name, sources, x]);
  return (
    <TimeSeries
      title={name}
      curves={curves}
      xKind={x}
      smoothing={smooth / 100}
      isLog={isLog}
      range={range}
      onRange={onRange}
      sync="metrics"
    />
  );
}

interface SourcesRequest {
  job: Job;
  jobKey: JobKey;
  shown: string[];
  merged: Labelled["series"];
  isLive: boolean;
  each: boolean;
}

/** Series of all attempts merged, or of each; a first answer that left some names out is completed for those shown. */
function useSources({ job, jobKey, shown, merged, isLive, each }: SourcesRequest): Labelled[] {
  const known = useMemo(() => new Set(merged.map(({ key }) => key)), [merged]);
  const missing = shown.filter((key) => !known.has(key));
  const rest = useQuery({ ...metricsQuery(jobKey, undefined, missing, isLive), enabled: missing.length > 0 && !each });
  const attempts = useQuery({ ...attemptsQuery(jobKey, isLive), enabled: each });
  const numbers = each ? (attempts.data?.items ?? []).map(({ number }) => number) : [];
  const perAttempt = useQueries({
    queries: numbers.map((number) => metricsQuery(jobKey, number, shown, isLive && number === job.attempt)),
  });
  if (each)
    return numbers.map((number, index) => ({
      label: `attempt ${number}`,
      series: perAttempt[index]?.data?.series ?? [],
    }));
  return [{ label: "value", series: missing.length > 0 ? [...merged, ...(rest.data?.series ?? [])] : merged }];
}

function rangeOf({ from, to }: JobSearch): Range | null {
  const range = { from: Number(from), to: Number(to) };
  return from !== undefined && to !== undefined && range.from < range.to ? range : null;
}
