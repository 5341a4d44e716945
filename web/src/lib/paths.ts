/** Addresses of pages, so that features can link to each other without importing each other. */

import { stringifySearch } from "./search";

type Search = Record<string, unknown>;

const at = (path: string, search?: Search) => `${path}${search === undefined ? "" : stringifySearch(search)}`;
const e = encodeURIComponent;

export const paths = {
  signIn: (next?: string) => at("/sign-in", { next }),
  projects: () => "/projects",
  settings: () => "/settings",
  tokens: () => "/settings/tokens",
  health: () => "/admin/health",
  home: (project: string) => `/p/${e(project)}`,
  jobs: (project: string, search?: Search) => at(`/p/${e(project)}/jobs`, search),
  job: (project: string, job: string, search?: Search) => at(`/p/${e(project)}/jobs/${e(job)}`, search),
  newJob: (project: string, search?: Search) => at(`/p/${e(project)}/new-job`, search),
  compare: (project: string, jobs?: string[]) => at(`/p/${e(project)}/compare`, { jobs }),
  clusters: (project: string) => `/p/${e(project)}/clusters`,
  cluster: (project: string, cluster: string) => `/p/${e(project)}/clusters/${e(cluster)}`,
  models: (project: string) => `/p/${e(project)}/models`,
  model: (project: string, model: string, search?: Search) => at(`/p/${e(project)}/models/${e(model)}`, search),
  environments: (project: string) => `/p/${e(project)}/environments`,
  environment: (project: string, environment: string) => `/p/${e(project)}/environments/${e(environment)}`,
  packages: (project: string) => `/p/${e(project)}/packages`,
  package: (project: string, digest: string) => `/p/${e(project)}/packages/${e(digest)}`,
  events: (project: string, search?: Search) => at(`/p/${e(project)}/events`, search),
  members: (project: string) => `/p/${e(project)}/members`,
  projectSettings: (project: string) => `/p/${e(project)}/settings`,
  pools: () => "/pools",
  /** Ray's own dashboard, of a named cluster or of a job's live attempt. Not a page of ours. */
  rayDashboard: (project: string, clusterOrJob: string) => `/ray/${e(project)}/${e(clusterOrJob)}/`,
} as const;
