import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { rowsOf } from "@/api/pages";
import { eventStream, type Job } from "@/api/stream";
import { countsQuery, jobsQuery } from "./queries";
import { type JobsSearch, toQuery } from "./search";
import { mayMatch, settle, stillMatches } from "./settle";

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
  const announced = useAnnounced(project, search, key, byId);
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

/** Jobs that the stream told of, that would be in the list and are not. */
function useAnnounced(project: string, search: JobsSearch, key: string, known: ReadonlyMap<string, Job>) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const now = useRef({ search, known });
  useEffect(() => {
    now.current = { search, known };
    setIds((before) => {
      const left = [...before].filter((id) => !known.has(id));
      return left.length === before.size ? before : new Set(left);
    });
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list has other news
  useEffect(() => {
    setIds(new Set());
    const openedAt = Date.now();
    return eventStream.subscribe({
      job(job) {
        const { search, known } = now.current;
        const isNew = !known.has(job.id) && Date.parse(job.created_at) > newest(known, openedAt);
        if (job.project === project && isNew && mayMatch(job, search)) setIds((before) => new Set(before).add(job.id));
      },
    });
  }, [key]);
  const forget = useCallback(() => setIds(new Set()), []);
  return { ids, forget };
}

/** A job made before what the list holds is on a page that was not read yet. By the platform's clock, where it is known. */
function newest(known: ReadonlyMap<string, Job>, openedAt: number): number {
  let last = 0;
  for (const job of known.values()) last = Math.max(last, Date.parse(job.created_at));
  return last === 0 ? openedAt - 60_000 : last;
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
