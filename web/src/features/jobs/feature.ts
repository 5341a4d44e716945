import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { Feature } from "@/features/feature";
import { paths } from "@/lib/paths";
import { projectRoute } from "@/routes/base";
import { ListChecks } from "@/ui/icons";
import { readJobsSearch } from "./search";

export const jobsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/jobs",
  validateSearch: readJobsSearch,
  component: lazyRouteComponent(() => import("./JobsPage"), "JobsPage"),
});

export const jobsFeature: Feature = {
  nav: [{ label: "Jobs", icon: ListChecks, section: "project", href: (project) => paths.jobs(project), go: "j" }],
  commands: ({ project }, go) =>
    project === null
      ? []
      : [
          { label: "Show running jobs", icon: ListChecks, run: () => go(paths.jobs(project, { phase: ["running"] })) },
          {
            label: "Show waiting jobs",
            keywords: "pending queued",
            icon: ListChecks,
            run: () => go(paths.jobs(project, { phase: ["queued", "admitted", "provisioning"] })),
          },
          { label: "Show failed jobs", icon: ListChecks, run: () => go(paths.jobs(project, { phase: ["failed"] })) },
        ],
};
