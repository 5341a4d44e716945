import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "@/api/client";
import { useMay } from "@/api/me";
import { plural } from "@/lib/format";
import { Button } from "@/ui/Button";
import { Confirm } from "@/ui/Confirm";
import { OctagonX } from "@/ui/icons";
import { notifyDone } from "@/ui/notify";
import { hasEnded } from "@/ui/status";
import { CLUSTERS, type Cluster, clusterQuery } from "./queries";

/** Ends a cluster, after saying what that takes away. Not there for those who may not, or where nothing is left to stop. */
export function StopCluster({ project, cluster }: { project: string; cluster: Cluster }) {
  const [asking, setAsking] = useState(false);
  const mayStop = useMay(project, "editor");
  const queries = useQueryClient();
  if (!mayStop || hasEnded(cluster.phase) || cluster.phase === "stopping") return null;

  const stop = async () => {
    const { data } = await api.POST("/api/v1/projects/{project}/clusters/{cluster}:stop", {
      params: { path: { project, cluster: cluster.id } },
    });
    if (data !== undefined) queries.setQueryData(clusterQuery(project, cluster.id).queryKey, data);
    notifyDone(`Cluster ${cluster.name} stops.`);
    await queries.invalidateQueries({ queryKey: ["get", CLUSTERS] });
  };
  const jobs = cluster.running_jobs ?? 0;
  return (
    <>
      <Button kind="danger" icon={<OctagonX aria-hidden="true" />} onClick={() => setAsking(true)}>
        Stop
      </Button>
      {asking && (
        <Confirm title={`Stop ${cluster.name}?`} verb="Stop cluster" onConfirm={stop} onClose={() => setAsking(false)}>
          <p>
            {jobs === 0
              ? "No job runs on it. Its nodes are given back."
              : `${plural(jobs, "job")} on it will lose ${jobs === 1 ? "its" : "their"} machines.`}
          </p>
          <p>A cluster that was stopped does not start again; one of the same name can be made.</p>
        </Confirm>
      )}
    </>
  );
}
