import type { components } from "@openapi";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { api } from "@/api/client";
import type { Project } from "@/api/me";
import { meQuery, projectQuery } from "@/api/queries";

const PROJECT = "/api/v1/projects/{project}";
export type ProjectPatch = components["schemas"]["ProjectPatch"];

/** Changes the project, unless somebody else did since `etag`; what other pages show of it follows. */
export function useChangeProject(project: string): (etag: string, patch: ProjectPatch) => Promise<void> {
  const queries = useQueryClient();
  return useCallback(
    async (etag, patch) => {
      const { data } = await api.PATCH(PROJECT, {
        params: { path: { project }, header: { "If-Match": etag } },
        body: patch,
      });
      if (data !== undefined) queries.setQueryData(projectQuery(project).queryKey, data);
      await queries.invalidateQueries({ queryKey: meQuery().queryKey });
    },
    [queries, project],
  );
}

export async function deleteProject({ name, etag }: Pick<Project, "name" | "etag">): Promise<void> {
  await api.DELETE(PROJECT, { params: { path: { project: name }, header: { "If-Match": etag } } });
}
