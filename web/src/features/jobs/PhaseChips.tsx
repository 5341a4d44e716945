import type { components } from "@openapi";
import { useQuery } from "@tanstack/react-query";
import { Button } from "@/ui/Button";
import { RefreshCw } from "@/ui/icons";
import { StatusIcon } from "@/ui/Status";
import { JOB_PHASES, toneOf } from "@/ui/status";
import styles from "./Jobs.module.css";
import { countInWords, newsInWords } from "./news";
import { countsQuery } from "./queries";
import type { JobsSearch } from "./search";

type Phase = components["schemas"]["JobPhase"];

interface PhaseChipsProps {
  project: string;
  search: JobsSearch;
  onChange: (search: JobsSearch) => void;
  news: { fresh: number; gone: number; readAnew: () => Promise<void> };
}

/** One button for each phase, with how many jobs it has; and what changed since the rows were read. */
export function PhaseChips({ project, search, onChange, news }: PhaseChipsProps) {
  const counts = useQuery(countsQuery(project, search)).data;
  const chosen = search.phase ?? [];
  const toggle = (phase: Phase) => {
    const next = chosen.includes(phase) ? chosen.filter((one) => one !== phase) : [...chosen, phase];
    onChange({ ...search, phase: next.length === 0 ? undefined : next });
  };
  const newsText = newsInWords(news.fresh, news.gone);
  return (
    <div className={styles.phases} role="group" aria-label="Phases">
      {JOB_PHASES.map((phase) => (
        <button
          key={phase}
          type="button"
          className={styles.phase}
          aria-pressed={chosen.includes(phase)}
          onClick={() => toggle(phase)}
        >
          <StatusIcon tone={toneOf(phase)} />
          {phase}
          <b>{countInWords(counts?.phases[phase], counts?.most)}</b>
        </button>
      ))}
      {newsText !== null && (
        <Button className={styles.news} icon={<RefreshCw aria-hidden="true" />} onClick={() => void news.readAnew()}>
          {newsText}
        </Button>
      )}
    </div>
  );
}
