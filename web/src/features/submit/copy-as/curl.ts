/** The same job by curl. The token comes from the environment. */
import type { Spec } from "../schema";
import { hereDocument, quoted } from "./shell";

export function toCurl(spec: Spec, project: string, origin: string): string {
  const address = `${origin}/api/v1/projects/${encodeURIComponent(project)}/jobs`;
  const command = [
    `curl -fsS -X POST ${quoted(address)}`,
    '-H "Authorization: Bearer $MLP_TOKEN"',
    '-H "Content-Type: application/json"',
    "--data-binary @-",
  ].join(" \\\n  ");
  return hereDocument(command, JSON.stringify(spec, null, 2));
}
