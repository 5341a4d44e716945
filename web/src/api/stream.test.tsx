import { makeEvent, makeJob } from "@test/make";
import { platform } from "@test/platform";
import { waitFor } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { sessionState } from "./session-state";
import { EventStream } from "./stream";

const message = (event: string, data: unknown, id?: string) =>
  `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** Each connection gets the next list of pieces and then ends, or stays open where the last is "open". */
function streams(...connections: string[][]): string[] {
  const cursors: string[] = [];
  platform.use(
    http.get("*/api/v1/stream", ({ request }) => {
      cursors.push(new URL(request.url).searchParams.get("cursor") ?? "");
      const pieces = connections.shift() ?? ["open"];
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          for (const piece of pieces.filter((one) => one !== "open"))
            controller.enqueue(new TextEncoder().encode(piece));
          if (!pieces.includes("open")) controller.close();
        },
      });
      return new HttpResponse(body, { headers: { "Content-Type": "text/event-stream" } });
    }),
  );
  return cursors;
}

let stream: EventStream;
beforeEach(() => {
  stream = new EventStream();
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => stream.follow(null));

describe("the event stream", () => {
  it("tells jobs and events, however they are cut into pieces", async () => {
    const text =
      message("ready", {}, "c1") + message("job", makeJob({ name: "ünï" })) + message("event", makeEvent(), "c2");
    const half = Math.floor(text.length / 2);
    streams([text.slice(0, half), text.slice(half), "open"]);
    const told: string[] = [];
    stream.subscribe({ job: (job) => told.push(job.name), event: (event) => told.push(event.id) });
    stream.follow("vision");
    await waitFor(() => expect(told).toEqual(["ünï", "evt_1"]));
    expect(stream.status.get().state).toBe("live");
  });

  it("resumes behind the last event when the connection breaks", async () => {
    const cursors = streams(
      [message("ready", {}, "c1"), message("event", makeEvent({ id: "evt_1" }), "c2")],
      [message("ready", {}, "c2"), message("event", makeEvent({ id: "evt_2" }), "c3"), "open"],
    );
    const told: string[] = [];
    stream.subscribe({ event: (event) => told.push(event.id) });
    stream.follow("vision");
    await waitFor(() => expect(told).toEqual(["evt_1", "evt_2"]), { timeout: 3000 });
    expect(cursors).toEqual(["", "c2"]);
  });

  it("forgets the place of another project", async () => {
    const cursors = streams([message("ready", {}, "c1"), "open"], ["open"]);
    stream.follow("vision");
    await waitFor(() => expect(stream.status.get().state).toBe("live"));
    stream.follow("audio");
    await waitFor(() => expect(cursors).toEqual(["", ""]));
  });

  it("stops, and says so, when the session has ended", async () => {
    sessionState.set("active");
    platform.use(http.get("*/api/v1/stream", () => HttpResponse.json({}, { status: 401 })));
    stream.follow("vision");
    await waitFor(() => expect(sessionState.get()).toBe("expired"));
    expect(stream.status.get().state).toBe("off");
  });
});
