import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { toApiError } from "@/api/errors";
import { safeNext, signIn } from "@/api/session";
import { signInRoute } from "@/routes/base";
import { isPage } from "@/shell/links";
import { takeLinkCode } from "./link";
import styles from "./SignIn.module.css";
import { SignInForm } from "./SignInForm";

/** The one page that needs no session. A one-time link (`#link=CODE`) signs in by itself. */
export function SignInPage() {
  const { next } = signInRoute.useSearch();
  const navigate = signInRoute.useNavigate();
  const queries = useQueryClient();
  const [code] = useState(takeLinkCode);
  const [linkProblem, setLinkProblem] = useState<string | null>(null);
  const [linkPending, setLinkPending] = useState(code !== null);

  useEffect(() => {
    document.title = "Sign in · mlp";
  }, []);
  const enter = async () => {
    const target = safeNext(next);
    // What is not a page of ours (the MLflow UI, say) is a document of its own.
    if (!isPage(target.split(/[?#]/)[0] ?? "")) return globalThis.location.assign(target);
    queries.clear();
    await navigate({ href: target, replace: true });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the code is good for one use
  useEffect(() => {
    if (code === null) return;
    signIn({ link: code })
      .then(enter)
      .catch((error: unknown) => {
        setLinkProblem(toApiError(error).detail);
        setLinkPending(false);
      });
  }, [code]);

  return (
    <main className={styles.page} id="main">
      <div className={styles.card}>
        <div className={styles.head}>
          <img src="/icon.svg" alt="" width="36" height="36" />
          <h1 tabIndex={-1} data-page-title>
            Sign in
          </h1>
          {linkPending && <p role="status">Signing in with the link…</p>}
          {linkProblem !== null && (
            <p className={styles.problem} role="alert">
              {linkProblem} Ask for a new link, or sign in here.
            </p>
          )}
        </div>
        {!linkPending && <SignInForm onDone={() => void enter()} />}
      </div>
    </main>
  );
}
