import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, createRoute, lazyRouteComponent, Outlet } from "@tanstack/react-router";
import { defineSearch, text } from "@/lib/search";
import { PageFailed } from "@/shell/PageFailed";
import { PageMissing } from "@/shell/PageMissing";
import { Start } from "@/shell/Start";

/** What loaders may use. */
export interface RouterContext {
  queries: QueryClient;
}

export const rootRoute = createRootRouteWithContext<RouterContext>()({
  component: Outlet,
  notFoundComponent: PageMissing,
  errorComponent: PageFailed,
});

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sign-in",
  validateSearch: defineSearch({ next: text(2000) }),
  component: lazyRouteComponent(() => import("@/features/sign-in/SignInPage"), "SignInPage"),
});

/**
 * Everything behind the sign-in: bar, navigation, and the page inside. Its component, which knows all features, is given in
 * `router.tsx`: features import this file.
 */
export const shellRoute = createRoute({ getParentRoute: () => rootRoute, id: "shell" });

export const startRoute = createRoute({ getParentRoute: () => shellRoute, path: "/", component: Start });

/** Parent of all pages of a project: `/p/{project}/...`. */
export const projectRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/p/$project",
  component: Outlet,
});
