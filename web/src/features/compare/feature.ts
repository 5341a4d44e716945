import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { Feature } from "@/features/feature";
import { paths } from "@/lib/paths";
import { defineSearch, flag, listOf, oneOf, text } from "@/lib/search";
import { projectRoute } from "@/routes/base";
import { GitCompare } from "@/ui/icons";
import { MOST_COMPARED } from "./model";

export const compareRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/compare",
  validateSearch: defineSearch({
    jobs: listOf(text(64), MOST_COMPARED),
    all: flag(),
    value: oneOf(["last", "min", "max", "best"]),
    metric: text(250),
  }),
  component: lazyRouteComponent(() => import("./ComparePage"), "ComparePage"),
});

export const compareFeature: Feature = {
  nav: [{ label: "Compare", icon: GitCompare, section: "project", href: (project) => paths.compare(project), go: "d" }],
};
