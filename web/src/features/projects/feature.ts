import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { Feature } from "@/features/feature";
import { paths } from "@/lib/paths";
import { defineSearch, text } from "@/lib/search";
import { shellRoute } from "@/routes/base";
import { FolderKanban } from "@/ui/icons";

export const projectsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/projects",
  validateSearch: defineSearch({ q: text(100) }),
  component: lazyRouteComponent(() => import("./ProjectsPage"), "ProjectsPage"),
});

export const projectsFeature: Feature = {
  nav: [{ label: "Projects", icon: FolderKanban, section: "platform", href: paths.projects, go: "p" }],
};
