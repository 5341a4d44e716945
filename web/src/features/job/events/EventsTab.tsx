import { useInfiniteQuery } from "@tanstack/react-query";
import { rowsOf } from "@/api/pages";
import { Button } from "@/ui/Button";
import { EventList } from "@/ui/Events";
import { Panel } from "@/ui/Panel";
import { Empty, Loadable } from "@/ui/states";
import { AttemptChoice } from "../AttemptChoice";
import { useJobSearch } from "../address";
import { eventsQuery, type Job } from "../queries";

/** What happened to it, newest first: what, why, and who or what did it. */
export default function EventsTab({ job }: { job: Job }) {
  const [{ attempt }] = useJobSearch();
  const query = useInfiniteQuery(eventsQuery({ project: job.project, job: job.id }, attempt));
  return (
    <Panel title="Events" flush aside={<AttemptChoice job={job} all="all of the job" />}>
      <Loadable query={query} what="load the events" height={320}>
        {(data) => {
          const events = rowsOf(data);
          if (events.length === 0) return <Empty title="No events of this attempt" />;
          return (
            <>
              <EventList events={events} />
              {query.hasNextPage && (
                <Button kind="quiet" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                  Show older
                </Button>
              )}
            </>
          );
        }}
      </Loadable>
    </Panel>
  );
}
