import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Project } from "@/api/me";
import { meQuery } from "@/api/queries";
import { plural } from "@/lib/format";
import { paths } from "@/lib/paths";
import { Button } from "@/ui/Button";
import { Confirm } from "@/ui/Confirm";
import { notifyDone } from "@/ui/notify";
import { projectSettingsRoute } from "./feature";
import styles from "./ProjectSettingsPage.module.css";
import { deleteProject } from "./queries";

/** Hides the project from everyone. The name must be typed; while jobs are unfinished it says so instead. */
export function DeleteProject({ project }: { project: Project }) {
  const [asking, setAsking] = useState(false);
  const navigate = projectSettingsRoute.useNavigate();
  const queries = useQueryClient();
  const live = project.live_jobs ?? 0;
  const remove = async () => {
    await deleteProject(project);
    notifyDone(`Project ${project.name} was deleted.`);
    await navigate({ to: paths.projects() });
    await queries.invalidateQueries({ queryKey: meQuery().queryKey });
  };
  return (
    <div className={styles.delete}>
      <p>
        {live > 0
          ? `${plural(live, "job")} of it ${live === 1 ? "has" : "have"} not ended. Cancel ${live === 1 ? "it" : "them"} first.`
          : "Hides the project, and all that is in it, from everyone at once."}
      </p>
      <Button kind="danger" disabled={live > 0} onClick={() => setAsking(true)}>
        Delete the project
      </Button>
      {asking && (
        <Confirm
          title={`Delete ${project.name}?`}
          verb="Delete project"
          typed={project.name}
          onConfirm={remove}
          onClose={() => setAsking(false)}
        >
          <p>Its jobs, logs, models and runs cannot be seen any more, by anybody. Clusters must be stopped before.</p>
        </Confirm>
      )}
    </div>
  );
}
