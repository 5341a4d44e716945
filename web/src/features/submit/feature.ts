import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { Feature } from "@/features/feature";
import { paths } from "@/lib/paths";
import { defineSearch, oneOf, text } from "@/lib/search";
import { projectRoute } from "@/routes/base";
import { Plus } from "@/ui/icons";

export const submitRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/new-job",
  validateSearch: defineSearch({ from: text(64), package: text(71), cluster: text(64), view: oneOf(["form", "yaml"]) }),
  component: lazyRouteComponent(() => import("./SubmitPage"), "SubmitPage"),
});

export const submitFeature: Feature = {
  commands: ({ project, role, isAdmin }, go) =>
    project === null || (role === "viewer" && !isAdmin)
      ? []
      : [{ label: "New job", keywords: "submit run create train", icon: Plus, run: () => go(paths.newJob(project)) }],
};
