import { type FormEvent, useEffect, useId, useState } from "react";
import { plural } from "@/lib/format";
import { Button } from "@/ui/Button";
import { useJobSearch } from "../address";
import styles from "./Metrics.module.css";

interface MetricsToolbarProps {
  attempts: number;
  keys: number;
}

/** How the charts read. All of it is in the address. */
export function MetricsToolbar({ attempts, keys }: MetricsToolbarProps) {
  const [search, change] = useJobSearch();
  const { q = "", x = "step", smooth = 0, log, each } = search;
  const id = useId();
  return (
    <div className={styles.tools} role="toolbar" aria-label="Chart tools">
      <input
        type="search"
        aria-label="Find metrics"
        placeholder={`Find among ${plural(keys, "metric")}`}
        value={q}
        onChange={(event) => change({ q: event.target.value || undefined })}
      />
      <span className={styles.field}>
        <label htmlFor={`${id}-x`}>x axis</label>
        <select
          id={`${id}-x`}
          value={x}
          onChange={(event) =>
            change({
              x: event.target.value === "step" ? undefined : (event.target.value as "wall"),
              from: undefined,
              to: undefined,
            })
          }
        >
          <option value="step">step</option>
          <option value="relative">time since the start</option>
          <option value="wall">time of day</option>
        </select>
      </span>
      <span className={styles.field}>
        <label htmlFor={`${id}-smooth`}>Smoothing</label>
        <input
          id={`${id}-smooth`}
          type="range"
          min={0}
          max={99}
          value={smooth}
          onChange={(event) => change({ smooth: Number(event.target.value) || undefined })}
        />
        <output htmlFor={`${id}-smooth`} className="numeric">
          {(smooth / 100).toFixed(2)}
        </output>
      </span>
      <Button kind="quiet" aria-pressed={log === true} onClick={() => change({ log: log === true ? undefined : true })}>
        Log axis
      </Button>
      {attempts > 1 && (
        <Button
          kind="quiet"
          aria-pressed={each === true}
          onClick={() => change({ each: each === true ? undefined : true })}
        >
          Each attempt
        </Button>
      )}
      {x !== "wall" && <RangeFields />}
    </div>
  );
}

/** The same as a drag over a chart, for those who cannot or do not want to drag. */
function RangeFields() {
  const [{ from, to }, change] = useJobSearch();
  const [low, setLow] = useState(from ?? "");
  const [high, setHigh] = useState(to ?? "");
  useEffect(() => {
    setLow(from === undefined ? "" : short(from));
    setHigh(to === undefined ? "" : short(to));
  }, [from, to]);
  const apply = (event: FormEvent) => {
    event.preventDefault();
    const sound = low !== "" && high !== "" && Number(low) < Number(high);
    change(sound ? { from: low, to: high } : { from: undefined, to: undefined });
  };
  return (
    <form className={styles.range} onSubmit={apply}>
      <input
        aria-label="From"
        placeholder="from"
        inputMode="decimal"
        value={low}
        onChange={(event) => setLow(event.target.value)}
      />
      <span aria-hidden="true">–</span>
      <input
        aria-label="To"
        placeholder="to"
        inputMode="decimal"
        value={high}
        onChange={(event) => setHigh(event.target.value)}
      />
      <Button kind="quiet" type="submit">
        Zoom
      </Button>
    </form>
  );
}

function short(text: string): string {
  return String(Math.round(Number(text) * 100) / 100);
}
