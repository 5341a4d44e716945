import type { components } from "@openapi";
import { useQuery } from "@tanstack/react-query";
import { paths } from "@/lib/paths";
import { Panel } from "@/ui/Panel";
import { Loadable } from "@/ui/states";
import { reasonInWords } from "@/ui/status";
import { Time } from "@/ui/Time";
import styles from "./HomePage.module.css";
import { changesQuery } from "./queries";

type Event = components["schemas"]["EventRead"];

/** What happened since the last visit, newest first, and what happens now. */
export function Changes({ project, since }: { project: string; since: string }) {
  const query = useQuery(changesQuery(project, since));
  return (
    <Panel title="Since your last visit" flush aside={<Time at={since} />}>
      <Loadable query={query} what="load what happened" height={120}>
        {(page) =>
          page.items.length === 0 ? (
            <p className={styles.quiet}>Nothing happened.</p>
          ) : (
            <ul className={styles.changes}>
              {page.items.map((event) => (
                <Change key={event.id} project={project} event={event} />
              ))}
            </ul>
          )
        }
      </Loadable>
    </Panel>
  );
}

function Change({ project, event }: { project: string; event: Event }) {
  const name = event.resource_name || event.resource_id;
  return (
    <li>
      <span>
        {event.resource === "job" ? <a href={paths.job(project, event.resource_id)}>{name}</a> : <span>{name}</span>}{" "}
        {reasonInWords(event.reason).toLowerCase()}
      </span>
      <span className={styles.more}>
        {event.message} · {event.actor} · <Time at={event.at} />
      </span>
    </li>
  );
}
