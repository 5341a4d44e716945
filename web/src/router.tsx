import type { QueryClient } from "@tanstack/react-query";
import { createRouter } from "@tanstack/react-router";
import { adminHealthRoute } from "@/features/admin-health/feature";
import { compareRoute } from "@/features/compare/feature";
import { homeRoute } from "@/features/home/feature";
import { jobRoute } from "@/features/job/feature";
import { jobsRoute } from "@/features/jobs/feature";
import { projectsRoute } from "@/features/projects/feature";
import { settingsRoute } from "@/features/settings/feature";
import { submitRoute } from "@/features/submit/feature";
import { tokensRoute } from "@/features/tokens/feature";
import { parseSearch, stringifySearch } from "@/lib/search";
import { projectRoute, rootRoute, shellRoute, signInRoute, startRoute } from "@/routes/base";
import { Shell } from "@/shell/Shell";

shellRoute.update({ component: Shell });

/** One line for each page. Pages themselves are loaded when they are visited. */
const routeTree = rootRoute.addChildren([
  signInRoute,
  shellRoute.addChildren([
    startRoute,
    projectsRoute,
    settingsRoute,
    tokensRoute,
    adminHealthRoute,
    projectRoute.addChildren([homeRoute, jobsRoute, jobRoute, submitRoute, compareRoute]),
  ]),
]);

export function createAppRouter(queries: QueryClient) {
  return createRouter({
    routeTree,
    context: { queries },
    parseSearch,
    stringifySearch,
    scrollRestoration: true,
    scrollToTopSelectors: ["#main"],
    defaultPreload: false,
    defaultPendingMs: 150,
    defaultStructuralSharing: true,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
