import type { LucideIcon } from "lucide-react";
import type { Role } from "@/api/me";

/** Where the person stands: what a link or a command may depend on. */
export interface Place {
  /** Name of the project in the address, if any. */
  project: string | null;
  /** The role there; null for administrators without membership and where there is no project. */
  role: Role | null;
  isAdmin: boolean;
}

/** A link of the sidebar, the palette, and of `g …`. */
export interface NavItem {
  label: string;
  icon: LucideIcon;
  /** `project` items are shown inside of a project only, `admin` ones to administrators only. */
  section: "project" | "platform" | "admin";
  /** Its address; `project` is "" outside of one. */
  href: (project: string) => string;
  /** Second key after `g`. */
  go?: string;
}

/** Something to do, for the palette. */
export interface Command {
  label: string;
  /** Words that find it too. */
  keywords?: string;
  icon?: LucideIcon;
  run: () => void;
}

/** What a folder of `features/` gives to the shell. Its pages are routes, listed in `router.tsx`. */
export interface Feature {
  nav?: readonly NavItem[];
  commands?: (place: Place, go: (href: string) => void) => Command[];
}
