import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import { notifyDone } from "@/ui/notify";
import type { Job, JobKey } from "./queries";

const JOB = "/api/v1/projects/{project}/jobs/{job}";

function useRefresh(): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ predicate: ({ queryKey }) => String(queryKey[1]).startsWith(JOB) });
}

export function useCancel(key: JobKey, name: string) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: () => api.POST(`${JOB}:cancel`, { params: { path: { ...key } }, body: {} }),
    onSuccess: async () => {
      notifyDone(`Cancelling ${name}`);
      await refresh();
    },
  });
}

export function useRetry(key: JobKey, name: string) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: () => api.POST(`${JOB}:retry`, { params: { path: { ...key } } }),
    onSuccess: async () => {
      notifyDone(`${name} is queued again`);
      await refresh();
    },
  });
}

/** What may be done with a job where it stands. */
export function actionsOf({ phase, stop_requested }: Pick<Job, "phase" | "stop_requested">) {
  const ended = phase === "succeeded" || phase === "failed" || phase === "cancelled";
  return {
    cancel: !ended && !stop_requested,
    retry: phase === "failed" || phase === "cancelled",
  };
}
