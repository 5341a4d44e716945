import type { components } from "@openapi";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { $api, api } from "@/api/client";
import { ApiError } from "@/api/errors";
import { pagesOf } from "@/api/pages";

export type Package = components["schemas"]["PackageRead"];

export const PACKAGES = "/api/v1/projects/{project}/packages";
const PAGE = 100;

export function packagesQuery(project: string) {
  return infiniteQueryOptions({
    queryKey: ["get", PACKAGES, { params: { path: { project } } }],
    ...pagesOf(({ cursor, signal }) =>
      api.GET(PACKAGES, { params: { path: { project }, query: { limit: PAGE, cursor } }, signal }),
    ),
  });
}

/** With its first 1,000 files. */
export const packageQuery = (project: string, digest: string) =>
  $api.queryOptions("get", `${PACKAGES}/{digest}`, { params: { path: { project, digest } } });

/** Where one of its text files is read as plain text. */
export function fileHref(project: string, digest: string, path: string): string {
  return `${packageHref(project, digest)}/files/${path.split("/").map(encodeURIComponent).join("/")}`;
}

/** A text file of a package, which never changes. */
export const fileQuery = (project: string, digest: string, path: string) =>
  queryOptions({
    queryKey: ["get", `${PACKAGES}/{digest}/files/{path}`, { params: { path: { project, digest, path } } }],
    queryFn: async ({ signal }): Promise<string> => {
      const response = await globalThis.fetch(fileHref(project, digest, path), { signal }).catch((error: unknown) => {
        throw ApiError.offline(error);
      });
      if (!response.ok) throw await ApiError.fromResponse(response);
      return await response.text();
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Where the archive itself is read. */
export function contentHref(project: string, digest: string): string {
  return `${packageHref(project, digest)}/content`;
}

function packageHref(project: string, digest: string): string {
  return `/api/v1/projects/${encodeURIComponent(project)}/packages/${encodeURIComponent(digest)}`;
}
