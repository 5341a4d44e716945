import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { Feature } from "@/features/feature";
import { paths } from "@/lib/paths";
import { defineSearch, text } from "@/lib/search";
import { projectRoute } from "@/routes/base";
import { Cuboid } from "@/ui/icons";

export const modelsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "models",
  validateSearch: defineSearch({ q: text(200) }),
  component: lazyRouteComponent(() => import("./ModelsPage"), "ModelsPage"),
});

export const modelRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "models/$model",
  validateSearch: defineSearch({ version: text(20), metric: text(250) }),
  component: lazyRouteComponent(() => import("./ModelPage"), "ModelPage"),
});

export const modelsFeature: Feature = {
  nav: [{ label: "Models", icon: Cuboid, section: "project", href: paths.models, go: "m" }],
};
