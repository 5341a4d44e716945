import type { ReactNode } from "react";
import styles from "./Status.module.css";
import { inWords, type Tone, toneOf } from "./status";

/** A shape of its own for each tone, so that colour is never the only difference. Nothing moves. */
const SHAPES: Record<Tone, ReactNode> = {
  running: <circle cx="8" cy="8" r="5" fill="none" stroke="currentColor" strokeWidth="2.4" />,
  pending: (
    <g fill="none" stroke="currentColor" strokeWidth="1.7" strokeLinecap="round">
      <circle cx="8" cy="8" r="6" />
      <path d="M8 4.7V8l2.2 1.6" />
    </g>
  ),
  succeeded: (
    <g>
      <circle cx="8" cy="8" r="6.8" fill="currentColor" />
      <path
        d="m5 8.2 2.1 2.1L11 6.2"
        fill="none"
        stroke="var(--surface)"
        strokeWidth="1.8"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </g>
  ),
  failed: (
    <g>
      <path d="M8 1.6 15 14H1Z" fill="currentColor" stroke="currentColor" strokeWidth="1.2" strokeLinejoin="round" />
      <path d="M8 6v4" stroke="var(--surface)" strokeWidth="1.7" strokeLinecap="round" />
      <circle cx="8" cy="12.1" r="1" fill="var(--surface)" />
    </g>
  ),
  cancelled: (
    <g fill="none" stroke="currentColor" strokeWidth="1.7" strokeLinecap="round">
      <circle cx="8" cy="8" r="6" />
      <path d="M5.2 8h5.6" />
    </g>
  ),
  preempted: (
    <path
      d="M5.5 2.5 2 6l3.5 3.5M2.4 6h7.1a4 4 0 0 1 0 8H6"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
  ),
};

export function StatusIcon({ tone }: { tone: Tone }) {
  return (
    <svg className={styles.icon} data-tone={tone} viewBox="0 0 16 16" aria-hidden="true">
      {SHAPES[tone]}
    </svg>
  );
}

interface StatusProps {
  /** A phase of a job, cluster or environment, or the outcome of an attempt. */
  phase: string;
  /** In place of the phase's own word. */
  children?: ReactNode;
  /** With a soft ground, for headers; plain for tables. */
  badge?: boolean;
}

/** A phase as shape, colour and word. */
export function Status({ phase, children, badge = false }: StatusProps) {
  const tone = toneOf(phase);
  return (
    <span className={styles.status} data-tone={tone} data-badge={badge || undefined}>
      <StatusIcon tone={tone} />
      <span>{children ?? inWords(phase)}</span>
    </span>
  );
}
