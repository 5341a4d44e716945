import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { Feature } from "@/features/feature";
import { paths } from "@/lib/paths";
import { shellRoute } from "@/routes/base";
import { Cpu } from "@/ui/icons";

export const poolsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/pools",
  component: lazyRouteComponent(() => import("./PoolsPage"), "PoolsPage"),
});

export const poolsFeature: Feature = {
  nav: [{ label: "Pools", icon: Cpu, section: "platform", href: paths.pools, go: "o" }],
};
