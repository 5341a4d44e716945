import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { Range } from "@/charts/series";
import { TimeSeries } from "@/charts/TimeSeries";
import { formatBytes, formatNumber } from "@/lib/format";
import { Empty, Loadable } from "@/ui/states";
import { hasEnded } from "@/ui/status";
import { AttemptChoice } from "../AttemptChoice";
import { useJobSearch } from "../address";
import { coresOf } from "../overview/shape";
import { type Job, type NodeSamples, samplesQuery } from "../queries";
import styles from "./Resources.module.css";
import { nodeUse, peakShare } from "./usage";

/** Memory this near to its limit is worth a word. */
const NEAR = 0.9;

/** CPU, memory and accelerators of every node, with the bound that each has. */
export default function ResourcesTab({ job }: { job: Job }) {
  const [{ attempt }] = useJobSearch();
  const isLive = !hasEnded(job.phase) && (attempt === undefined || attempt === job.attempt);
  const query = useQuery(samplesQuery({ project: job.project, job: job.id }, attempt, isLive));
  return (
    <div className={styles.page}>
      <AttemptChoice job={job} />
      <Loadable query={query} what="load the use of machines" height={420}>
        {({ nodes }) =>
          nodes.length === 0 ? (
            <Empty title={isLive ? "Nothing measured yet" : "Nothing was measured"}>
              <p>
                Each node is measured every few seconds from when it runs
                {job.spec.cluster ? "; this job runs on a shared cluster" : ""}.
              </p>
            </Empty>
          ) : (
            <Nodes job={job} nodes={nodes} />
          )
        }
      </Loadable>
    </div>
  );
}

function Nodes({ job, nodes }: { job: Job; nodes: readonly NodeSamples[] }) {
  const [range, setRange] = useState<Range | null>(null);
  return nodes.map((samples) => (
    <Node key={samples.node} job={job} samples={samples} range={range} onRange={setRange} />
  ));
}

interface NodeProps {
  job: Job;
  samples: NodeSamples;
  range: Range | null;
  onRange: (range: Range | null) => void;
}

function Node({ job, samples, range, onRange }: NodeProps) {
  const use = useMemo(() => nodeUse(samples, coresOf(job.spec, samples.node)), [samples, job.spec]);
  const share = peakShare(samples);
  const common = { xKind: "wall" as const, range, onRange, sync: "resources", height: 130 };
  return (
    <section className={styles.node} aria-label={`Node ${samples.node}`}>
      <h2>
        {samples.node}
        {share !== null && share >= NEAR && (
          <span className={styles.near}>memory reached {Math.round(share * 100)}% of its limit</span>
        )}
      </h2>
      <div className={styles.charts}>
        <TimeSeries title="CPU" unit="cores" curves={use.cpu} {...common} />
        <TimeSeries title="Memory" curves={use.memory} format={formatBytes} {...common} />
        {use.gpu.length > 0 && <TimeSeries title="GPU" unit="in use" curves={use.gpu} format={percent} {...common} />}
        {use.gpuMemory.length > 0 && (
          <TimeSeries title="GPU memory" curves={use.gpuMemory} format={formatBytes} {...common} />
        )}
      </div>
    </section>
  );
}

function percent(value: number): string {
  return `${formatNumber(value <= 1 ? value * 100 : value, 3)}%`;
}
