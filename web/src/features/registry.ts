import { adminHealthFeature } from "./admin-health/feature";
import { compareFeature } from "./compare/feature";
import type { Feature } from "./feature";
import { homeFeature } from "./home/feature";
import { jobsFeature } from "./jobs/feature";
import { projectsFeature } from "./projects/feature";
import { settingsFeature } from "./settings/feature";
import { submitFeature } from "./submit/feature";
import { tokensFeature } from "./tokens/feature";

/** What the shell and the palette know of each feature, in the order of the navigation. One line for each. */
export const features: readonly Feature[] = [
  homeFeature,
  jobsFeature,
  submitFeature,
  compareFeature,
  projectsFeature,
  tokensFeature,
  settingsFeature,
  adminHealthFeature,
];
