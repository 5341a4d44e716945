import type { QueryClient } from "@tanstack/react-query";
import { createRouter } from "@tanstack/react-router";
import { adminHealthRoute } from "@/features/admin-health/feature";
import { homeRoute } from "@/features/home/feature";
import { projectsRoute } from "@/features/projects/feature";
import { settingsRoute } from "@/features/settings/feature";
import { tokensRoute } from "@/features/tokens/feature";
import { parseSearch, stringifySearch } from "@/lib/search";
import { projectRoute, rootRoute, shellRoute, signInRoute, startRoute } from "@/routes/base";

/** One line for each page. Pages themselves are loaded when they are visited. */
const routeTree = rootRoute.addChildren([
  signInRoute,
  shellRoute.addChildren([
    startRoute,
    projectsRoute,
    settingsRoute,
    tokensRoute,
    adminHealthRoute,
    projectRoute.addChildren([homeRoute]),
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
