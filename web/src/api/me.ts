import type { components } from "@openapi";
import { useQuery } from "@tanstack/react-query";
import { meQuery } from "./queries";

export type Me = components["schemas"]["Me"];
export type Role = components["schemas"]["Role"];
export type Project = components["schemas"]["ProjectRead"];

const RANK: Record<Role, number> = { viewer: 0, editor: 1, owner: 2 };

/** Who is signed in; undefined until that is known. */
export function useMe(): Me | undefined {
  return useQuery(meQuery()).data;
}

/** The project by name or id, among those of the person. */
export function findProject(me: Me | undefined, project: string): Project | undefined {
  return me?.projects.find((one) => one.name === project || one.id === project);
}

/** Whether `me` may do in `project` what needs `role`. Until `me` is known: no. */
export function may(me: Me | undefined, project: string, role: Role): boolean {
  if (me === undefined) return false;
  if (me.is_admin) return true;
  const own = findProject(me, project)?.role;
  return own !== null && own !== undefined && RANK[own] >= RANK[role];
}

/** `may` for the signed-in person. Buttons that would fail are not shown. */
export function useMay(project: string, role: Role): boolean {
  return may(useMe(), project, role);
}
