import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { Feature } from "@/features/feature";
import { paths } from "@/lib/paths";
import { defineSearch, oneOf, text } from "@/lib/search";
import { projectRoute } from "@/routes/base";
import { Layers } from "@/ui/icons";

export const ENVIRONMENT_PHASES = ["resolving", "ready", "failed"] as const;

export const environmentsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "environments",
  validateSearch: defineSearch({ phase: oneOf(ENVIRONMENT_PHASES), q: text(40) }),
  component: lazyRouteComponent(() => import("./EnvironmentsPage"), "EnvironmentsPage"),
});

export const environmentRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "environments/$environment",
  component: lazyRouteComponent(() => import("./EnvironmentPage"), "EnvironmentPage"),
});

export const environmentsFeature: Feature = {
  nav: [{ label: "Environments", icon: Layers, section: "project", href: paths.environments, go: "e" }],
};
