import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { Feature } from "@/features/feature";
import { paths } from "@/lib/paths";
import { shellRoute } from "@/routes/base";
import { KeyRound } from "@/ui/icons";

export const tokensRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/settings/tokens",
  component: lazyRouteComponent(() => import("./TokensPage"), "TokensPage"),
});

export const tokensFeature: Feature = {
  nav: [{ label: "Tokens", icon: KeyRound, section: "platform", href: paths.tokens, go: "t" }],
};
