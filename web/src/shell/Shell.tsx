import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Outlet, useRouter, useRouterState } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState } from "react";
import { useMe } from "@/api/me";
import { meQuery } from "@/api/queries";
import { followOtherTabs } from "@/api/session";
import { sessionState } from "@/api/session-state";
import { eventStream } from "@/api/stream";
import { paths } from "@/lib/paths";
import { useStore } from "@/lib/store";
import { useShortcut } from "@/shortcuts/registry";
import { ErrorPanel } from "@/ui/states";
import { forgetIgnoredSearch } from "./focus";
import { rememberProject } from "./last-project";
import { LiveRegion, Notices } from "./Notices";
import { useProjectOrNone } from "./project";
import styles from "./Shell.module.css";
import { Sidebar } from "./Sidebar";
import { TopBar } from "./TopBar";

const Palette = lazy(() => import("@/palette/Palette"));
const ShortcutSheet = lazy(() => import("@/shortcuts/ShortcutSheet"));
const SignInAgain = lazy(() => import("@/features/sign-in/SignInAgain"));

/** Bar, navigation and the page. It asks for the sign-in again over the page, so that nothing typed is lost. */
export function Shell() {
  const [drawer, setDrawer] = useState(false);
  const [open, setOpen] = useState<"palette" | "shortcuts" | null>(null);
  const session = useStore(sessionState);
  const me = useQuery(meQuery());
  usePlaces();
  useSessionFollowing();
  useShellShortcuts(setOpen);
  useEffect(() => {
    if (me.data !== undefined && session === "unknown") sessionState.set("active");
  }, [me.data, session]);
  useSignInRedirect(session === "absent");

  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#main">
        Skip to content
      </a>
      <TopBar
        onMenu={() => setDrawer(!drawer)}
        onPalette={() => setOpen("palette")}
        onShortcuts={() => setOpen("shortcuts")}
      />
      <Sidebar open={drawer} onClose={() => setDrawer(false)} />
      <main id="main" className={styles.main} tabIndex={-1}>
        {me.data === undefined && me.error !== null && session !== "absent" ? (
          <ErrorPanel what="find out who you are" error={me.error} onRetry={() => void me.refetch()} />
        ) : (
          <Outlet />
        )}
      </main>
      <Notices />
      <LiveRegion />
      <Suspense>
        {open === "palette" && <Palette onClose={() => setOpen(null)} />}
        {open === "shortcuts" && <ShortcutSheet onClose={() => setOpen(null)} />}
        {session === "expired" && <SignInAgain />}
      </Suspense>
    </div>
  );
}

/** The stream follows the project in the address; its name is kept for the next visit. */
function usePlaces(): void {
  const project = useProjectOrNone();
  const path = useRouterState({ select: (state) => state.location.pathname });
  useEffect(() => {
    eventStream.follow(project);
    if (project !== null) rememberProject(project);
  }, [project]);
  useEffect(() => {
    return path === "" ? undefined : forgetIgnoredSearch;
  }, [path]);
}

function useSessionFollowing(): void {
  const queries = useQueryClient();
  const username = useMe()?.username;
  useEffect(() => followOtherTabs(queries, () => username), [queries, username]);
}

function useSignInRedirect(needed: boolean): void {
  const router = useRouter();
  useEffect(() => {
    if (!needed) return;
    const { pathname, searchStr, hash } = router.state.location;
    const here = pathname === "/" ? undefined : `${pathname}${searchStr}${hash === "" ? "" : `#${hash}`}`;
    router.history.replace(paths.signIn(here));
  }, [needed, router]);
}

function useShellShortcuts(setOpen: (what: "palette" | "shortcuts") => void): void {
  useShortcut("mod+k", "Search pages, jobs and actions", "Anywhere", () => setOpen("palette"));
  useShortcut("?", "Show this sheet", "Anywhere", () => setOpen("shortcuts"));
}
