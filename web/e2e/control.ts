import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Stage } from "./stage.ts";

/** Passes what tests ask for (`kill api`, a command) on to the stage, which belongs to another process than theirs. */
export async function control(stage: Stage): Promise<{ url: string; close: () => void }> {
  let last: Promise<unknown> = Promise.resolve();
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece: Buffer) => {
      body += piece.toString();
    });
    request.on("end", () => {
      const answer = last.then(() => stage.ask(JSON.parse(body) as Record<string, unknown>));
      last = answer.catch(() => undefined);
      answer.then(
        (value) => response.end(JSON.stringify(value)),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}
