import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { findProject, type Me, useMe } from "@/api/me";
import { paths } from "@/lib/paths";
import { Skeleton } from "@/ui/states";
import { lastProject } from "./last-project";

/** The address without a page: the project that was last looked at. */
export function Start() {
  const me = useMe();
  const navigate = useNavigate();
  useEffect(() => {
    if (me !== undefined) void navigate({ to: firstPage(me), replace: true });
  }, [me, navigate]);
  return <Skeleton height={200} />;
}

function firstPage(me: Me): string {
  const last = lastProject();
  const known = last === null ? undefined : findProject(me, last);
  const project = known ?? me.projects[0];
  return project === undefined ? paths.projects() : paths.home(project.name);
}
