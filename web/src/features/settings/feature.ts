import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { Feature } from "@/features/feature";
import { paths } from "@/lib/paths";
import { setPreference } from "@/preferences/preferences";
import { shellRoute } from "@/routes/base";
import { Monitor, Moon, Settings, Sun } from "@/ui/icons";

export const settingsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/settings",
  component: lazyRouteComponent(() => import("./SettingsPage"), "SettingsPage"),
});

export const settingsFeature: Feature = {
  nav: [{ label: "Settings", icon: Settings, section: "platform", href: paths.settings, go: "s" }],
  commands: () => [
    { label: "Theme: light", keywords: "appearance bright", icon: Sun, run: () => setPreference("theme", "light") },
    { label: "Theme: dark", keywords: "appearance night", icon: Moon, run: () => setPreference("theme", "dark") },
    {
      label: "Theme: as the system",
      keywords: "appearance",
      icon: Monitor,
      run: () => setPreference("theme", "system"),
    },
    { label: "Times in UTC", keywords: "zone clock", run: () => setPreference("times", "utc") },
    { label: "Times in the local zone", keywords: "zone clock", run: () => setPreference("times", "local") },
    { label: "Times relative to now", keywords: "zone clock ago", run: () => setPreference("times", "relative") },
  ],
};
