import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { toApiError } from "@/api/errors";
import { useMay, useMe } from "@/api/me";
import { jobQuery } from "@/api/queries";
import type { Job } from "@/api/stream";
import { randomId } from "@/lib/ids";
import { paths } from "@/lib/paths";
import { useProject } from "@/shell/project";
import { Button } from "@/ui/Button";
import { ChoiceField } from "@/ui/Field";
import { notifyDone, notifyFailed } from "@/ui/notify";
import { PageHeader } from "@/ui/PageHeader";
import { Denied, Loadable, Skeleton } from "@/ui/states";
import { Changes } from "./Changes";
import { checkSpec, type FieldProblem } from "./check";
import { cloneOf, type Draft, draftOf, keepDraft, readDraft } from "./draft";
import { FitPanel, useDryRun } from "./FitPanel";
import { submitRoute } from "./feature";
import { JobForm } from "./JobForm";
import { Leaving } from "./Leaving";
import { submitJob } from "./queries";
import styles from "./Submit.module.css";
import { type Spec, sameValue, withoutDefaults } from "./schema";

const YamlView = lazy(() => import("./YamlView"));
const CopyAs = lazy(() => import("./CopyAs"));

/** A new job, from nothing or from another one, by fields or as text. */
export function SubmitPage() {
  const project = useProject();
  const me = useMe();
  const mayCreate = useMay(project, "editor");
  const { from } = submitRoute.useSearch();
  if (me !== undefined && !mayCreate) {
    return (
      <>
        <PageHeader title="New job" above={[{ label: "Jobs", href: paths.jobs(project) }]} />
        <Denied detail="Running jobs needs the role editor in this project." />
      </>
    );
  }
  return from === undefined ? (
    <NewJob key={project} project={project} />
  ) : (
    <Clone key={from} project={project} from={from} />
  );
}

function NewJob({ project }: { project: string }) {
  const { package: digest, cluster } = submitRoute.useSearch();
  const [base] = useState<Spec>(() => ({ ...(digest && { package: digest }), ...(cluster && { cluster }) }));
  return <Writing project={project} base={base} source={null} place={`${project} ${JSON.stringify(base)}`} />;
}

function Clone({ project, from }: { project: string; from: string }) {
  const query = useQuery({ ...jobQuery(project, from), staleTime: Number.POSITIVE_INFINITY });
  return (
    <Loadable query={query} what="load the job to clone" height={480}>
      {(job) => <Cloned project={project} job={job} />}
    </Loadable>
  );
}

function Cloned({ project, job }: { project: string; job: Job }) {
  const [base] = useState<Spec>(() => cloneOf(job.spec, new Date()));
  return <Writing project={project} base={base} source={job} place={`${project} from ${job.id}`} />;
}

interface WritingProps {
  project: string;
  base: Spec;
  source: Job | null;
  /** What is kept through a reload is kept for this place. */
  place: string;
}

function Writing({ project, base, source, place }: WritingProps) {
  const { draft, change, type, startAnew, wasKept } = useDraft(place, base);
  const { view = "form" } = submitRoute.useSearch();
  const navigate = submitRoute.useNavigate();
  const spec = useMemo(() => withoutDefaults(draft.spec), [draft.spec]);
  const { isBroken } = draft;
  const [wasTried, setWasTried] = useState(false);
  const own = useMemo(() => checkSpec(spec), [spec]);
  const dryRun = useDryRun(project, spec, own.length === 0 && !isBroken);
  const problems = useMemo(
    () => [...own, ...(own.length === 0 ? fromPlatform(dryRun.error) : [])],
    [own, dryRun.error],
  );
  const problemOf = useProblems(problems, wasTried);
  const isDirty = !sameValue(spec, withoutDefaults(base)) || isBroken;
  const dirty = useRef(false);
  dirty.current = isDirty;
  const submit = useSubmit(project, place, dirty);

  const onSubmit = () => {
    setWasTried(true);
    if (own.length > 0 || isBroken) return focusFirstProblem();
    void submit.send(spec);
  };
  return (
    <>
      <PageHeader
        title={source === null ? "New job" : `Clone of ${source.name}`}
        above={[{ label: "Jobs", href: paths.jobs(project) }]}
        meta={
          source === null ? undefined : (
            <a href={paths.job(project, source.id)}>
              <code>{source.id}</code>
            </a>
          )
        }
        actions={
          <Button kind="primary" busy={submit.isBusy} onClick={onSubmit}>
            Submit job
          </Button>
        }
      />
      {wasKept && (
        <p className={styles.kept} role="status">
          This is what you wrote before in this tab.{" "}
          <Button kind="quiet" onClick={startAnew}>
            Start anew
          </Button>
        </p>
      )}
      <form
        className={styles.page}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        <div className={styles.main}>
          <ChoiceField
            label="Write it as"
            value={view}
            options={[
              ["form", "Form"],
              ["yaml", "YAML"],
            ]}
            onChange={(next) =>
              void navigate({ search: (old) => ({ ...old, view: next === "form" ? undefined : next }), replace: true })
            }
          />
          {view === "form" ? (
            <>
              {isBroken && <p className={styles.kept}>The YAML has a mistake; here is the job as it was before it.</p>}
              <JobForm project={project} spec={draft.spec} onChange={change} problemOf={problemOf} />
            </>
          ) : (
            <Suspense fallback={<Skeleton height={520} label="Loading the editor" />}>
              <YamlView spec={spec} text={draft.text} problems={problems} onType={type} />
            </Suspense>
          )}
        </div>
        <aside className={styles.aside} aria-label="What would happen">
          <FitPanel problems={own} dryRun={dryRun} />
          {source !== null && <Changes before={base} after={spec} />}
          <Suspense fallback={<Skeleton height={220} />}>
            <CopyAs project={project} spec={spec} />
          </Suspense>
        </aside>
      </form>
      <Leaving when={() => dirty.current} onLeave={() => keepDraft(place, null)} />
    </>
  );
}

/** The job and its text, kept for the tab while it is written. */
function useDraft(place: string, base: Spec) {
  const [kept] = useState(() => readDraft(place));
  const [draft, setDraft] = useState<Draft>(() => kept ?? draftOf(base));
  const [wasKept, setWasKept] = useState(kept !== null);
  useEffect(() => {
    keepDraft(place, sameValue(draft.spec, base) && draft.text === null ? null : draft);
  }, [place, draft, base]);
  const change = useCallback((spec: Spec) => setDraft(draftOf(spec)), []);
  const type = useCallback(
    (text: string, spec: Spec | null) =>
      setDraft((before) => ({ spec: spec ?? before.spec, text, isBroken: spec === null })),
    [],
  );
  const startAnew = () => {
    setDraft(draftOf(base));
    setWasKept(false);
  };
  return { draft, change, type, startAnew, wasKept };
}

/** Sends the job. The same job sent again (after a lost answer, after signing in again) is made once. */
function useSubmit(project: string, place: string, dirty: { current: boolean }) {
  const navigate = submitRoute.useNavigate();
  const [isBusy, setBusy] = useState(false);
  const key = useRef({ key: "", spec: {} as Spec });
  const send = async (spec: Spec) => {
    if (isBusy) return;
    if (key.current.key === "" || !sameValue(key.current.spec, spec)) key.current = { key: randomId(), spec };
    setBusy(true);
    try {
      const job = await submitJob(project, spec, key.current.key);
      dirty.current = false;
      keepDraft(place, null);
      notifyDone(`${job.name} was submitted.`);
      await navigate({ href: paths.job(project, job.id) });
    } catch (error) {
      // The shell asks to sign in again over this page; what was written stays, and is sent by the same button.
      if (toApiError(error).status !== 401) notifyFailed("submit the job", error);
    } finally {
      setBusy(false);
    }
  };
  return { send, isBusy };
}

/** What is missing is said after the first try; what is wrong, at once. */
function useProblems(problems: readonly FieldProblem[], wasTried: boolean): (field: string) => string | undefined {
  return useCallback(
    (field: string) => {
      const found = problems.find((one) => one.field === field || one.field.startsWith(`${field}.`));
      return found === undefined || (found.message === "is required" && !wasTried) ? undefined : found.message;
    },
    [problems, wasTried],
  );
}

function fromPlatform(error: ReturnType<typeof toApiError> | null): FieldProblem[] {
  return error?.errors.map(({ field, message }) => ({ field, message })) ?? [];
}

function focusFirstProblem(): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>("form [aria-invalid='true']")?.focus());
}
