import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { Feature } from "@/features/feature";
import { paths } from "@/lib/paths";
import { shellRoute } from "@/routes/base";
import { HeartPulse } from "@/ui/icons";

export const adminHealthRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/admin/health",
  component: lazyRouteComponent(() => import("./HealthPage"), "HealthPage"),
});

export const adminHealthFeature: Feature = {
  nav: [{ label: "Health", icon: HeartPulse, section: "admin", href: paths.health, go: "a" }],
};
