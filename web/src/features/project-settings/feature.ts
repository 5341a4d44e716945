import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { Feature } from "@/features/feature";
import { paths } from "@/lib/paths";
import { projectRoute } from "@/routes/base";
import { Settings } from "@/ui/icons";

export const projectSettingsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "settings",
  component: lazyRouteComponent(() => import("./ProjectSettingsPage"), "ProjectSettingsPage"),
});

export const projectSettingsFeature: Feature = {
  nav: [{ label: "Project settings", icon: Settings, section: "project", href: paths.projectSettings }],
};
