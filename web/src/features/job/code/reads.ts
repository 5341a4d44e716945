import type { components } from "@openapi";
import { queryOptions } from "@tanstack/react-query";
import { ApiError } from "@/api/errors";
import type { Job } from "../queries";
import type { CodeFile } from "./changes";

/** A job of this version that asks for no packages runs in the platform's own environment. */
const PLATFORM_PYTHON = "3.11";
/** So many files are listed; a package can have 200,000. */
export const MOST_FILES = 5000;

type FilesPart = components["schemas"]["PackageFiles"];
export type Environment = components["schemas"]["EnvironmentRead"];

const base = (project: string) => `/api/v1/projects/${encodeURIComponent(project)}`;
const packageAt = (project: string, digest: string) => `${base(project)}/packages/${encodeURIComponent(digest)}`;

async function read(address: string, signal: AbortSignal): Promise<Response> {
  const response = await globalThis.fetch(address, { credentials: "same-origin", signal }).catch((error: unknown) => {
    throw signal.aborted ? error : ApiError.offline(error);
  });
  if (!response.ok) throw await ApiError.fromResponse(response);
  return response;
}

/** The files of a package; what has a digest never changes. */
export const filesQuery = (project: string, digest: string) =>
  queryOptions({
    queryKey: ["package-files", project, digest],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<{ files: CodeFile[]; total: number }> => {
      const files: CodeFile[] = [];
      for (let start: number | null | undefined = 0; ; ) {
        const part = (await (
          await read(`${packageAt(project, digest)}/files?start=${start}`, signal)
        ).json()) as FilesPart;
        files.push(...part.files);
        start = part.next;
        if (start === null || start === undefined || files.length >= MOST_FILES) return { files, total: part.total };
      }
    },
  });

export const fileQuery = (project: string, digest: string, path: string) =>
  queryOptions({
    queryKey: ["package-file", project, digest, path],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<string> => {
      const encoded = path.split("/").map(encodeURIComponent).join("/");
      return (await read(`${packageAt(project, digest)}/files/${encoded}`, signal)).text();
    },
  });

/** Null where the job asks for no packages: that is known without asking. */
export const environmentQuery = ({ project, id, environment_digest, spec }: Job) =>
  queryOptions({
    queryKey: ["job-environment", project, id],
    queryFn: async ({ signal }): Promise<Environment | null> => {
      const { name, python = PLATFORM_PYTHON, requirements = [] } = spec.environment ?? {};
      const isPlain = name == null && python === PLATFORM_PYTHON && requirements.length === 0;
      if (environment_digest == null && isPlain) return null;
      const response = await read(`${base(project)}/jobs/${encodeURIComponent(id)}/environment`, signal);
      return (await response.json()) as Environment;
    },
  });
