/** Which events a list shows. Pure. */
import type { Event, EventFilter } from "./queries";

/** Whether an event that the stream told of belongs into a list that `filter` narrows. It is new, so `since` lets it through. */
export function passes(event: Event, { resource, resource_id, reason }: EventFilter): boolean {
  if (resource !== undefined && event.resource !== resource) return false;
  if (resource_id !== undefined && event.resource_id !== resource_id) return false;
  return reason === undefined || reason.includes(event.reason);
}

/** The reasons to choose from: those that were seen, and those that are chosen. */
export function reasonsOf(events: readonly Event[], chosen: readonly string[]): string[] {
  return [...new Set([...chosen, ...events.map(({ reason }) => reason)])].sort();
}
