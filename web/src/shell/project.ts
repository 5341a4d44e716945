import { useParams } from "@tanstack/react-router";

/** The project in the address; null outside of one. */
export function useProjectOrNone(): string | null {
  const params: { project?: string } = useParams({ strict: false });
  return params.project ?? null;
}

/** The project in the address, for pages below `/p/{project}`. */
export function useProject(): string {
  const project = useProjectOrNone();
  if (project === null) throw new Error("this page stands in no project");
  return project;
}
