import { adminHealthFeature } from "./admin-health/feature";
import { clustersFeature } from "./clusters/feature";
import { compareFeature } from "./compare/feature";
import { environmentsFeature } from "./environments/feature";
import { eventsFeature } from "./events/feature";
import type { Feature } from "./feature";
import { homeFeature } from "./home/feature";
import { jobsFeature } from "./jobs/feature";
import { membersFeature } from "./members/feature";
import { modelsFeature } from "./models/feature";
import { packagesFeature } from "./packages/feature";
import { poolsFeature } from "./pools/feature";
import { projectSettingsFeature } from "./project-settings/feature";
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
  clustersFeature,
  modelsFeature,
  environmentsFeature,
  packagesFeature,
  eventsFeature,
  membersFeature,
  projectSettingsFeature,
  projectsFeature,
  poolsFeature,
  tokensFeature,
  settingsFeature,
  adminHealthFeature,
];
