import type { components } from "@openapi";
import { HttpResponse, http } from "msw";
import { eventStream } from "@/api/stream";
import { makeMe, makeProject } from "./make";
import { answers, platform } from "./platform";

type Schemas = components["schemas"];

/** A person with `role` in project `vision`, and a live stream. `tell` and `tellJob` send down the stream. */
export function signedIn(role: Schemas["Role"], over: Partial<Schemas["Me"]> = {}) {
  answers("get", "/api/v1/me", makeMe({ projects: [makeProject({ role })], ...over }));
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const send = (text: string) => controller?.enqueue(new TextEncoder().encode(text));
  platform.use(
    http.get("*/api/v1/stream", () => {
      const body = new ReadableStream<Uint8Array>({
        start(made) {
          controller = made;
          send("event: ready\ndata: {}\n\n");
        },
      });
      return new HttpResponse(body, { headers: { "Content-Type": "text/event-stream" } });
    }),
  );
  return {
    tell: (event: Schemas["EventRead"]) => send(`id: ${event.id}\nevent: event\ndata: ${JSON.stringify(event)}\n\n`),
    tellJob: (job: Schemas["JobRead"]) => send(`id: ${job.etag}\nevent: job\ndata: ${JSON.stringify(job)}\n\n`),
    /** The stream outlives a test otherwise. */
    leave: () => eventStream.follow(null),
  };
}
