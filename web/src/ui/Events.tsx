import type { components } from "@openapi";
import type { ReactNode } from "react";
import { paths } from "@/lib/paths";
import styles from "./Events.module.css";
import { reasonInWords } from "./status";
import { Time } from "./Time";

export type Event = components["schemas"]["EventRead"];

/** The page of what an event is about; none for what has no page of its own. */
export function hrefOfResource(project: string, resource: string, id: string): string | null {
  switch (resource) {
    case "job":
      return paths.job(project, id);
    case "cluster":
      return paths.cluster(project, id);
    case "environment":
      return paths.environment(project, id);
    case "package":
      return paths.package(project, id);
    case "project":
      return paths.projectSettings(project);
    default:
      return null;
  }
}

/** Events as lines that wrap: the sentence is what one came for and is never cut. */
export function EventList({ events, about }: { events: readonly Event[]; about?: (event: Event) => ReactNode }) {
  return (
    <ol className={styles.list} data-about={about !== undefined || undefined}>
      {events.map((event) => (
        <li key={event.id} id={event.id}>
          <span className={styles.when}>
            <Time at={event.at} />
          </span>
          {about !== undefined && <span className={styles.about}>{about(event)}</span>}
          <span className={styles.what}>
            <strong>{reasonInWords(event.reason)}</strong>
            {event.attempt !== null && event.attempt !== undefined && event.attempt > 0 && (
              <span className={styles.attempt}> attempt {event.attempt}</span>
            )}
            {event.message !== "" && <span className={styles.message}> {event.message}</span>}
          </span>
          <span className={styles.actor} title={`By ${event.actor}`}>
            {event.actor}
          </span>
        </li>
      ))}
    </ol>
  );
}
