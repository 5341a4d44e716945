import type { components } from "@openapi";
import { infiniteQueryOptions } from "@tanstack/react-query";
import { api } from "@/api/client";
import { pagesOf } from "@/api/pages";

export type Member = components["schemas"]["MemberRead"];

export const MEMBERS = "/api/v1/projects/{project}/members";
const PAGE = 100;

export function membersQuery(project: string) {
  return infiniteQueryOptions({
    queryKey: ["get", MEMBERS, { params: { path: { project } } }],
    ...pagesOf(({ cursor, signal }) =>
      api.GET(MEMBERS, { params: { path: { project }, query: { limit: PAGE, cursor } }, signal }),
    ),
  });
}

export async function giveRole(project: string, user: string, role: Member["role"]): Promise<Member | undefined> {
  const { data } = await api.PUT(`${MEMBERS}/{user}`, { params: { path: { project, user } }, body: { role } });
  return data;
}

export async function removeMember(project: string, user: string): Promise<void> {
  await api.DELETE(`${MEMBERS}/{user}`, { params: { path: { project, user } } });
}
