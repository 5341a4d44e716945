import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { Feature } from "@/features/feature";
import { paths } from "@/lib/paths";
import { defineSearch, listOf, oneOf, text } from "@/lib/search";
import { projectRoute } from "@/routes/base";
import { Activity } from "@/ui/icons";

export const RESOURCES = ["job", "cluster", "environment", "package", "project"] as const;
export const PERIODS = ["1h", "24h", "168h"] as const;

export const eventsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "events",
  validateSearch: defineSearch({
    resource: oneOf(RESOURCES),
    id: text(80),
    reason: listOf(text(100), 20),
    since: oneOf(PERIODS),
  }),
  component: lazyRouteComponent(() => import("./EventsPage"), "EventsPage"),
});

export const eventsFeature: Feature = {
  nav: [{ label: "Events", icon: Activity, section: "project", href: paths.events, go: "v" }],
};
