import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useEffect, useRef } from "react";
import { paths } from "@/lib/paths";
import { useShortcut } from "@/shortcuts/registry";
import { announce } from "@/ui/announce";
import { PageHeader } from "@/ui/PageHeader";
import { ErrorPanel, Skeleton } from "@/ui/states";
import { inWords } from "@/ui/status";
import { useJobHref, useJobSearch } from "./address";
import { useStatusIcon } from "./favicon";
import { jobRoute, TABS, type Tab } from "./feature";
import { JobHeader } from "./JobHeader";
import styles from "./JobPage.module.css";
import { type Job, shownJobQuery } from "./queries";

const CONTENT: Record<Tab, ReturnType<typeof lazy<(props: { job: Job }) => ReactNode>>> = {
  overview: lazy(() => import("./overview/OverviewTab")),
  logs: lazy(() => import("./logs/LogsTab")),
  metrics: lazy(() => import("./metrics/MetricsTab")),
  resources: lazy(() => import("./resources/ResourcesTab")),
  events: lazy(() => import("./events/EventsTab")),
  code: lazy(() => import("./code/CodeTab")),
  artifacts: lazy(() => import("./artifacts/ArtifactsTab")),
};
const LABELS: Record<Tab, string> = {
  overview: "Overview",
  logs: "Logs",
  metrics: "Metrics",
  resources: "Resources",
  events: "Events",
  code: "Code & environment",
  artifacts: "Artifacts",
};

/** One job: what it is doing and why, its logs and figures, what it ran and what it left. */
export function JobPage() {
  const { project, job: name } = jobRoute.useParams();
  const query = useQuery(shownJobQuery(project, name));
  const [{ tab = "overview" }] = useJobSearch();
  useStatusIcon(query.data?.phase);
  usePhaseAnnounced(query.data);
  if (query.data === undefined) {
    return (
      <>
        <PageHeader title={name} above={[{ label: "Jobs", href: paths.jobs(project) }]} />
        {query.error === null ? (
          <Skeleton height={420} label="Loading: the job" />
        ) : (
          <ErrorPanel what="load the job" error={query.error} onRetry={() => void query.refetch()} />
        )}
      </>
    );
  }
  const Content = CONTENT[tab];
  return (
    <div className={styles.page} data-fills={tab === "logs" || undefined}>
      <JobHeader project={project} job={query.data} />
      <Tabs current={tab} />
      <Suspense fallback={<Skeleton height={320} />}>
        <Content key={query.data.id} job={query.data} />
      </Suspense>
    </div>
  );
}

function Tabs({ current }: { current: Tab }) {
  const hrefOf = useJobHref();
  return (
    <nav aria-label="Parts of the job" className={styles.tabs}>
      {TABS.map((tab, index) => (
        <TabLink
          key={tab}
          tab={tab}
          index={index}
          current={current}
          href={hrefOf({ tab: tab === "overview" ? undefined : tab })}
        />
      ))}
    </nav>
  );
}

function TabLink({ tab, index, current, href }: { tab: Tab; index: number; current: Tab; href: string }) {
  const anchor = useRef<HTMLAnchorElement>(null);
  useShortcut(String(index + 1), LABELS[tab], "Job", () => anchor.current?.click());
  useEffect(() => {
    if (tab === current) anchor.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [tab, current]);
  return (
    <a ref={anchor} href={href} aria-current={tab === current ? "page" : undefined}>
      {LABELS[tab]}
    </a>
  );
}

/** A change of the phase while the page is open is read out. */
function usePhaseAnnounced(job: Job | undefined): void {
  const before = useRef<{ id: string; phase: string } | null>(null);
  useEffect(() => {
    if (job === undefined) return;
    const last = before.current;
    before.current = { id: job.id, phase: job.phase };
    if (last !== null && last.id === job.id && last.phase !== job.phase) {
      announce(`${job.name}: ${inWords(job.phase)}. ${job.message}`);
    }
  }, [job]);
}
