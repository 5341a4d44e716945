import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { rowsOf } from "@/api/pages";
import { eventStream, type Job } from "@/api/stream";
import { countsQuery, jobsQuery } from "./queries";
import { DEFAULT_ORDER, type JobsSearch, toQuery } from "./search";
import { isMissing, type Loaded, mayMatch, settle, stillMatches } from "./settle";

const COUNT_AGAIN_MS = 1_000;

/** The rows of the list as they stand, and what would change if they were read anew. */
export function useSettledJobs(project: string, search: JobsSearch) {
  const query = useInfiniteQuery(jobsQuery(project, search));
  const queries = useQueryClient();
  const key = `${project} ${JSON.stringify(toQuery(search))}`;
  const latest = useMemo(() => rowsOf(query.data), [query.data]);
  const byId = useKnownJobs(latest);
  const [standing, setStanding] = useState<{ key: string; ids: readonly string[] }>({ key: "", ids: [] });

  const isOpening = standing.key !== key;
  const latestIds = useMemo(() => latest.map(({ id }) => id), [latest]);
  const settled = useMemo(
    () => (isOpening ? { shown: latestIds, held: [] } : settle(standing.ids, latestIds)),
    [isOpening, standing.ids, latestIds],
  );
  const isSettled = !query.isFetching && query.data !== undefined;
  useEffect(() => {
    if (isOpening ? isSettled : settled.shown !== standing.ids) setStanding({ key, ids: settled.shown });
  }, [isOpening, isSettled, settled.shown, standing.ids, key]);

  const jobs = useMemo(
    () => settled.shown.map((id) => byId.get(id)).filter((job) => job !== undefined),
    [settled.shown, byId],
  );
  const hasMore = query.hasNextPage;
  const loaded = useMemo(
    () => ({
      ids: new Set(settled.shown),
      last: jobs.at(-1),
      hasMore,
      isNewestFirst: (search.sort ?? DEFAULT_ORDER) === DEFAULT_ORDER,
    }),
    [settled.shown, jobs, hasMore, search.sort],
  );
  const announced = useAnnounced(project, search, key, loaded);
  const fresh = new Set([...settled.held, ...announced.ids]).size;
  const gone = useMemo(() => jobs.filter((job) => !stillMatches(job, search)).length, [jobs, search]);
  useCountAgain(project, search);

  const refetch = query.refetch;
  const forget = announced.forget;
  const readAnew = useCallback(async () => {
    queries.setQueryData(jobsQuery(project, search).queryKey, (old) =>
      old === undefined ? old : { pages: old.pages.slice(0, 1), pageParams: old.pageParams.slice(0, 1) },
    );
    await refetch();
    forget();
    setStanding({ key: "", ids: [] });
  }, [queries, project, search, refetch, forget]);

  return { query, jobs, fresh, gone, readAnew, total: query.data?.pages[0]?.total ?? null };
}

/** Every job that was read for this list, as it was last seen; also those that the platform no longer lists. */
function useKnownJobs(latest: readonly Job[]): ReadonlyMap<string, Job> {
  const known = useRef<ReadonlyMap<string, Job>>(new Map());
  return useMemo(() => {
    known.current = new Map([...known.current, ...latest.map((job) => [job.id, job] as const)]);
    return known.current;
  }, [latest]);
}

/** Jobs that the stream told of, that belong among the rows and are not there. */
function useAnnounced(project: string, search: JobsSearch, key: string, loaded: Omit<Loaded, "openedAt">) {
  const [told, setTold] = useState<ReadonlyMap<string, Job>>(new Map());
  const now = useRef({ search, loaded });
  const opened = useRef(Date.now());
  useEffect(() => {
    now.current = { search, loaded };
    // Also what was told of before the first page came, and turns out to stand on a later one.
    setTold((before) => without(before, (job) => !isMissing(job, { ...loaded, openedAt: opened.current })));
  }, [search, loaded]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list has other news
  useEffect(() => {
    setTold(new Map());
    opened.current = Date.now();
    return eventStream.subscribe({
      job(job) {
        if (job.project !== project) return;
        const { search, loaded } = now.current;
        const isNews = mayMatch(job, search) && isMissing(job, { ...loaded, openedAt: opened.current });
        setTold((before) => {
          if (before.has(job.id) === isNews) return before;
          return isNews ? new Map(before).set(job.id, job) : without(before, ({ id }) => id === job.id);
        });
      },
    });
  }, [key]);
  const forget = useCallback(() => setTold(new Map()), []);
  return { ids: [...told.keys()], forget };
}

/** The same jobs where none is taken away, so that nothing renders. */
function without(jobs: ReadonlyMap<string, Job>, isTaken: (job: Job) => boolean): ReadonlyMap<string, Job> {
  const left = [...jobs].filter(([, job]) => !isTaken(job));
  return left.length === jobs.size ? jobs : new Map(left);
}

/** After a burst of changes the counts per phase are read once. */
function useCountAgain(project: string, search: JobsSearch): void {
  const queries = useQueryClient();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = eventStream.subscribe({
      job() {
        timer ??= setTimeout(() => {
          timer = undefined;
          void queries.invalidateQueries({ queryKey: countsQuery(project, search).queryKey });
        }, COUNT_AGAIN_MS);
      },
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [queries, project, search]);
}
