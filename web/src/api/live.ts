import type { QueryClient } from "@tanstack/react-query";
import { type EventStream, eventStream, type Job, type PlatformEvent } from "./stream";

const JOBS = "/api/v1/projects/{project}/jobs";
/** Changes are applied together: a burst of a thousand costs one rendering. */
const BATCH_MS = 100;
/** Answers about a whole project: read again after a burst, not after each change of it. */
const OVERVIEWS: ReadonlySet<unknown> = new Set([
  "/api/v1/projects/{project}/home",
  "/api/v1/projects/{project}/jobs:count",
  "/api/v1/projects/{project}/events",
]);
const OVERVIEW_MS = 1000;

/** Has what the stream tells appear in all cached answers. Returns the end of it. */
export function keepCacheLive(queries: QueryClient, stream: EventStream = eventStream): () => void {
  const jobs = new Map<string, Job>();
  const touched = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let overviewTimer: ReturnType<typeof setTimeout> | undefined;
  let first = true;

  const flush = () => {
    timer = undefined;
    applyJobs(queries, jobs);
    void queries.invalidateQueries({ predicate: (query) => mentions(query.queryKey, touched) });
    jobs.clear();
    touched.clear();
  };
  const readOverviews = () => {
    overviewTimer = undefined;
    void queries.invalidateQueries({ predicate: (query) => OVERVIEWS.has(query.queryKey[1]) });
  };
  const soon = () => {
    timer ??= setTimeout(flush, BATCH_MS);
    overviewTimer ??= setTimeout(readOverviews, OVERVIEW_MS);
  };
  const stop = stream.subscribe({
    job(job) {
      jobs.set(job.id, job);
      soon();
    },
    event(event: PlatformEvent) {
      touched.add(event.resource_id);
      soon();
    },
    gap() {
      // Of the first connection nothing can be missing: what is shown was read a moment ago.
      if (!first) void queries.invalidateQueries({ predicate: (query) => isOfProject(query.queryKey) });
      first = false;
    },
  });
  return () => {
    stop();
    clearTimeout(timer);
    clearTimeout(overviewTimer);
  };
}

function isOfProject(key: readonly unknown[]): boolean {
  return String(key[1]).startsWith("/api/v1/projects/{project}/");
}

/** Each job where it stands: lists keep their order, so that no row moves under the pointer. */
export function applyJobs(queries: QueryClient, jobs: ReadonlyMap<string, Job>): void {
  if (jobs.size === 0) return;
  for (const query of queries.getQueryCache().findAll({ queryKey: ["get"] })) {
    const path = query.queryKey[1];
    if (path === `${JOBS}/{job}`) queries.setQueryData(query.queryKey, (old: Job | undefined) => newer(old, jobs));
    if (path === JOBS) queries.setQueryData(query.queryKey, (old: unknown) => inList(old, jobs));
  }
}

function newer(old: Job | undefined, jobs: ReadonlyMap<string, Job>): Job | undefined {
  return old === undefined ? old : (jobs.get(old.id) ?? old);
}

type JobPage = { items: Job[] };

function inList(old: unknown, jobs: ReadonlyMap<string, Job>): unknown {
  if (isPages(old)) {
    const pages = old.pages.map((page) => inPage(page, jobs));
    return pages.some((page, index) => page !== old.pages[index]) ? { ...old, pages } : old;
  }
  return isPage(old) ? inPage(old, jobs) : old;
}

function inPage(page: JobPage, jobs: ReadonlyMap<string, Job>): JobPage {
  if (!page.items.some((job) => jobs.has(job.id))) return page;
  return { ...page, items: page.items.map((job) => jobs.get(job.id) ?? job) };
}

function isPage(data: unknown): data is JobPage {
  return typeof data === "object" && data !== null && Array.isArray((data as JobPage).items);
}

function isPages(data: unknown): data is { pages: JobPage[] } {
  return typeof data === "object" && data !== null && Array.isArray((data as { pages: unknown }).pages);
}

/** Whether an answer is about one of `ids` (`/jobs/{job}/events` of that job, say). */
function mentions(key: readonly unknown[], ids: ReadonlySet<string>): boolean {
  const path = (key[2] as { params?: { path?: Record<string, string> } } | undefined)?.params?.path ?? {};
  return Object.values(path).some((value) => ids.has(value));
}
