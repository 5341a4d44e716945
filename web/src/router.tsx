import type { QueryClient } from "@tanstack/react-query";
import { createRouter } from "@tanstack/react-router";
import { adminHealthRoute } from "@/features/admin-health/feature";
import { clusterRoute, clustersRoute } from "@/features/clusters/feature";
import { compareRoute } from "@/features/compare/feature";
import { environmentRoute, environmentsRoute } from "@/features/environments/feature";
import { eventsRoute } from "@/features/events/feature";
import { homeRoute } from "@/features/home/feature";
import { jobRoute } from "@/features/job/feature";
import { jobsRoute } from "@/features/jobs/feature";
import { membersRoute } from "@/features/members/feature";
import { modelRoute, modelsRoute } from "@/features/models/feature";
import { packageRoute, packagesRoute } from "@/features/packages/feature";
import { poolsRoute } from "@/features/pools/feature";
import { projectSettingsRoute } from "@/features/project-settings/feature";
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
    poolsRoute,
    projectRoute.addChildren([
      homeRoute,
      jobsRoute,
      jobRoute,
      submitRoute,
      compareRoute,
      clustersRoute,
      clusterRoute,
      modelsRoute,
      modelRoute,
      environmentsRoute,
      environmentRoute,
      packagesRoute,
      packageRoute,
      eventsRoute,
      membersRoute,
      projectSettingsRoute,
    ]),
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
