import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { Feature } from "@/features/feature";
import { paths } from "@/lib/paths";
import { defineSearch, text } from "@/lib/search";
import { projectRoute } from "@/routes/base";
import { Package } from "@/ui/icons";

export const packagesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "packages",
  component: lazyRouteComponent(() => import("./PackagesPage"), "PackagesPage"),
});

export const packageRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "packages/$digest",
  validateSearch: defineSearch({ file: text(1024) }),
  component: lazyRouteComponent(() => import("./PackagePage"), "PackagePage"),
});

export const packagesFeature: Feature = {
  nav: [{ label: "Packages", icon: Package, section: "project", href: paths.packages, go: "k" }],
};
