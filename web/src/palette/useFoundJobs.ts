import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { $api } from "@/api/client";
import type { Job } from "@/api/stream";

const PAUSE_MS = 150;
const MOST = 8;

/** The newest jobs whose name holds `text`, by the platform's own search; asked when the typing pauses. */
export function useFoundJobs(project: string | null, text: string): readonly Job[] {
  const name = useSettled(text.trim());
  const found = useQuery({
    ...$api.queryOptions("get", "/api/v1/projects/{project}/jobs", {
      params: { path: { project: project ?? "" }, query: { name: name || undefined, limit: MOST } },
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
