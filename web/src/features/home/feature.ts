import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { Feature } from "@/features/feature";
import { paths } from "@/lib/paths";
import { projectRoute } from "@/routes/base";
import { House } from "@/ui/icons";

export const homeRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/",
  component: lazyRouteComponent(() => import("./HomePage"), "HomePage"),
});

export const homeFeature: Feature = {
  nav: [{ label: "Home", icon: House, section: "project", href: paths.home, go: "h" }],
};
