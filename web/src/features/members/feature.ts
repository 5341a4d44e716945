import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { Feature } from "@/features/feature";
import { paths } from "@/lib/paths";
import { projectRoute } from "@/routes/base";
import { Users } from "@/ui/icons";

export const membersRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "members",
  component: lazyRouteComponent(() => import("./MembersPage"), "MembersPage"),
});

export const membersFeature: Feature = {
  nav: [{ label: "Members", icon: Users, section: "project", href: paths.members, go: "u" }],
};
