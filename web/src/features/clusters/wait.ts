/** Why a cluster stands where it stands, in words. Pure. */
import { reasonInWords } from "@/ui/status";
import type { Cluster } from "./queries";

/** The platform's own sentence, with the place in the queue where it has one. */
export function reasonOf({ message, reason, queue }: Pick<Cluster, "message" | "reason" | "queue">): string {
  const sentence = message || (reason === "" ? "" : `${reasonInWords(reason)}.`);
  const place = queue ? `Number ${queue.position} in the queue for ${queue.pool}.` : "";
  return [sentence, place].filter(Boolean).join(" ");
}
