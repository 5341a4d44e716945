import { useState } from "react";
import { type ApiError, toApiError } from "@/api/errors";
import { notifyDone } from "@/ui/notify";

interface Saving {
  busy: boolean;
  error: ApiError | null;
  /** Does `work`; says `done` when it worked. What failed stays until the next try. */
  save: (work: () => Promise<unknown>, done: string) => Promise<void>;
}

/** The states of a form that is being saved. */
export function useSaving(): Saving {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const save = async (work: () => Promise<unknown>, done: string) => {
    setBusy(true);
    setError(null);
    try {
      await work();
      notifyDone(done);
    } catch (problem) {
      setError(toApiError(problem));
    } finally {
      setBusy(false);
    }
  };
  return { busy, error, save };
}

/** What went wrong in a form, in words: a change of somebody else is the one thing that needs another look. */
export function sentenceOf(error: ApiError | null): string | undefined {
  if (error === null) return undefined;
  if (error.status === 412) return "Somebody else changed the project meanwhile. Reload the page to see it as it is.";
  return [error.detail, error.hint].filter(Boolean).join(" ");
}
