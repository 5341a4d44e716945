import { AnsiLine } from "@/logs/AnsiLine";
import { TriangleAlert } from "@/ui/icons";
import { Fact, Facts } from "@/ui/Panel";
import { inWords } from "@/ui/status";
import { useJobHref } from "../address";
import type { Failure } from "../queries";
import { evidenceOf, failureTitle, nextStep } from "./failure";
import styles from "./Overview.module.css";

const NO_QUERY = { text: "", isCaseSensitive: false };

/** Why it failed: the class, a sentence, what is known, what to do, and the lines of the log that matter. */
export function FailureCard({ failure, attempt }: { failure: Failure; attempt: number }) {
  const hrefOf = useJobHref();
  const evidence = evidenceOf(failure);
  const lines = failure.last_lines ?? [];
  return (
    <section className={styles.failure} aria-labelledby="failure-title">
      <div className={styles.failureHead}>
        <TriangleAlert aria-hidden="true" />
        <h2 id="failure-title">{failureTitle(failure)}</h2>
        <span className={styles.class}>{inWords(failure.class)}</span>
      </div>
      <p className={styles.sentence}>{failure.message}</p>
      <p className={styles.next}>
        <strong>What to do:</strong> {nextStep(failure)}
      </p>
      {evidence.length > 0 && (
        <Facts>
          {evidence.map(([label, value]) => (
            <Fact key={label} label={label}>
              {value}
            </Fact>
          ))}
        </Facts>
      )}
      {lines.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        <div className={styles.lines} tabIndex={0} role="region" aria-label="Last lines of the log">
          {lines.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines never change their order
            <div key={index}>
              <AnsiLine text={line} query={NO_QUERY} />
            </div>
          ))}
        </div>
      )}
      <p>
        <a href={hrefOf({ tab: "logs", attempt: attempt > 0 ? attempt : undefined })}>Open the whole log</a>
      </p>
    </section>
  );
}
