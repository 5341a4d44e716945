import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { Feature } from "@/features/feature";
import { paths } from "@/lib/paths";
import { defineSearch, listOf, oneOf, text } from "@/lib/search";
import { projectRoute } from "@/routes/base";
import { Server } from "@/ui/icons";

export const CLUSTER_PHASES = ["queued", "provisioning", "ready", "stopping", "stopped", "failed"] as const;

export const clustersRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "clusters",
  validateSearch: defineSearch({ phase: listOf(oneOf(CLUSTER_PHASES)), q: text(40) }),
  component: lazyRouteComponent(() => import("./ClustersPage"), "ClustersPage"),
});

export const clusterRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "clusters/$cluster",
  component: lazyRouteComponent(() => import("./ClusterPage"), "ClusterPage"),
});

export const clustersFeature: Feature = {
  nav: [{ label: "Clusters", icon: Server, section: "project", href: paths.clusters, go: "c" }],
};
