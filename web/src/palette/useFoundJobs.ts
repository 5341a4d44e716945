import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { $api } from "@/api/client";
import type { Job } from "@/api/stream";

const PAUSE_MS = 150;
const MOST = 8;

/** The newest jobs whose name, tags or id hold `text`, by the platform's own search; asked when the typing pauses. */
export function useFoundJobs(project: string | null, text: string): readonly Job[] {
  const words = useSettled(text.trim());
  const found = useQuery({
    ...$api.queryOptions("get", "/api/v1/projects/{project}/jobs", {
      params: { path: { project: project ?? "" }, query: { search: words || undefined, limit: MOST } },
    }),
    enabled: project !== null,
    placeholderData: keepPreviousData,
  });
  return project === null ? [] : (found.data?.items ?? []);
}

function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
