import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { rowsOf } from "@/api/pages";
import { plural } from "@/lib/format";
import { useProject } from "@/shell/project";
import { Button } from "@/ui/Button";
import { type Event, EventList, hrefOfResource } from "@/ui/Events";
import { FilterBar, FilterSelect } from "@/ui/Filters";
import { ArrowUp, X } from "@/ui/icons";
import { PageHeader } from "@/ui/PageHeader";
import { Panel } from "@/ui/Panel";
import { Empty, Loadable, NothingMatches } from "@/ui/states";
import { reasonInWords } from "@/ui/status";
import styles from "./EventsPage.module.css";
import { eventsRoute, PERIODS, RESOURCES } from "./feature";
import { reasonsOf } from "./filter";
import { type EventFilter, eventsQuery } from "./queries";
import { useNewEvents } from "./useNewEvents";

const ANY = "";
const RESOURCE_OPTIONS = [[ANY, "Everything"], ...RESOURCES.map((one) => [one, `${one}s`] as const)] as const;
const PERIOD_OPTIONS = [
  [ANY, "All time"],
  [PERIODS[0], "Last hour"],
  [PERIODS[1], "Last 24 hours"],
  [PERIODS[2], "Last 7 days"],
] as const;

/** Everything that happened in the project, who or what did it, and why. */
export function EventsPage() {
  const project = useProject();
  const { resource, id, reason, since } = eventsRoute.useSearch();
  const navigate = eventsRoute.useNavigate();
  const reasons = reason?.join("\n");
  const filter = useMemo<EventFilter>(
    () => ({ resource, resource_id: id, reason: reasons?.split("\n"), since }),
    [resource, id, reasons, since],
  );
  const query = useInfiniteQuery(eventsQuery(project, filter));
  const events = useMemo(() => rowsOf(query.data), [query.data]);
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const narrow = (change: Partial<ReturnType<typeof eventsRoute.useSearch>>) =>
    void navigate({ search: (now) => ({ ...now, ...change }) });
  return (
    <>
      <PageHeader title="Events" meta="Everything that happened in the project, newest first." />
      <FilterBar>
        <FilterSelect
          label="Resource"
          value={resource ?? ANY}
          options={RESOURCE_OPTIONS}
          onChange={(chosen) => narrow({ resource: chosen === ANY ? undefined : chosen })}
        />
        <FilterSelect
          label="Reason"
          value={reason?.length === 1 ? (reason[0] ?? ANY) : ANY}
          options={reasonOptions(events, reason ?? [])}
          onChange={(chosen) => narrow({ reason: chosen === ANY ? undefined : [chosen] })}
        />
        <FilterSelect
          label="Period"
          value={since ?? ANY}
          options={PERIOD_OPTIONS}
          onChange={(chosen) => narrow({ since: chosen === ANY ? undefined : chosen })}
        />
        {id !== undefined && (
          <Button kind="quiet" icon={<X aria-hidden="true" />} onClick={() => narrow({ id: undefined })}>
            Only {id}
          </Button>
        )}
        <NewEvents project={project} filter={filter} />
      </FilterBar>
      <Loadable query={query} what="load the events" height={420}>
        {() =>
          events.length > 0 ? (
            <Panel title={plural(events.length, "event")} flush aside={query.hasNextPage && "there are older ones"}>
              <EventList events={events} about={(event) => <About project={project} event={event} />} />
              {query.hasNextPage && (
                <div className={styles.more}>
                  <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                    Older events
                  </Button>
                </div>
              )}
            </Panel>
          ) : isFiltered ? (
            <NothingMatches what="events" onClear={() => void navigate({ search: {} })} />
          ) : (
            <Empty title="Nothing has happened yet">
              What jobs, clusters and people do in this project appears here.
            </Empty>
          )
        }
      </Loadable>
    </>
  );
}

function NewEvents({ project, filter }: { project: string; filter: EventFilter }) {
  const queries = useQueryClient();
  const [count, forget] = useNewEvents(filter);
  const show = () => {
    forget();
    void queries.resetQueries({ queryKey: eventsQuery(project, filter).queryKey });
  };
  return (
    <span role="status">
      {count > 0 && (
        <Button icon={<ArrowUp aria-hidden="true" />} onClick={show}>
          {count} new
        </Button>
      )}
    </span>
  );
}

function About({ project, event }: { project: string; event: Event }) {
  const name = event.resource_name || event.resource_id;
  const href = hrefOfResource(project, event.resource, event.resource_id);
  return (
    <>
      <span className={styles.kind}>{event.resource} </span>
      {href === null ? name : <a href={href}>{name}</a>}
    </>
  );
}

function reasonOptions(events: readonly Event[], chosen: readonly string[]): [string, string][] {
  return [[ANY, "Any reason"], ...reasonsOf(events, chosen).map((one): [string, string] => [one, reasonInWords(one)])];
}
