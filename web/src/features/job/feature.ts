import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { defineSearch, flag, integer, oneOf, text } from "@/lib/search";
import { projectRoute } from "@/routes/base";

export const TABS = ["overview", "logs", "metrics", "resources", "events", "code", "artifacts"] as const;
export type Tab = (typeof TABS)[number];

/** All that the page shows is in its address, so that any of it can be sent to somebody. */
const search = defineSearch({
  tab: oneOf(TABS),
  attempt: integer(1, 2 ** 31 - 1),
  source: text(180),
  line: text(220),
  q: text(500),
  case: flag(),
  only: flag(),
  wrap: flag(),
  times: flag(),
  x: oneOf(["step", "wall", "relative"] as const),
  smooth: integer(0, 99),
  log: flag(),
  each: flag(),
  from: text(30),
  to: text(30),
  path: text(1100),
  with: text(200),
});

export type JobSearch = ReturnType<typeof search>;

export const jobRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "jobs/$job",
  validateSearch: search,
  component: lazyRouteComponent(() => import("./JobPage"), "JobPage"),
});
