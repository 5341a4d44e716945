import { expectAccessible } from "@test/axe";
import { makeEvent, onePage } from "@test/make";
import { answers } from "@test/platform";
import { renderAt } from "@test/render";
import { signedIn } from "@test/signed-in";
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it } from "vitest";
import { eventStream } from "@/api/stream";

const EVENTS = "/api/v1/projects/{project}/events";

afterEach(() => eventStream.follow(null));

describe("the events of a project", () => {
  it("link to what they are about, with reason, sentence and actor", async () => {
    signedIn("viewer");
    answers(
      "get",
      EVENTS,
      onePage([
        makeEvent({ id: "e1", reason: "WaitingForQuota", message: "Waits for 2 GPUs.", actor: "operator" }),
        makeEvent({ id: "e2", resource: "cluster", resource_id: "clu_1", resource_name: "shared", reason: "Ready" }),
      ]),
    );
    const { container } = renderAt("/p/vision/events");
    expect((await screen.findByRole("link", { name: "digits" })).getAttribute("href")).toBe("/p/vision/jobs/job_1");
    expect(screen.getByRole("link", { name: "shared" }).getAttribute("href")).toBe("/p/vision/clusters/clu_1");
    expect(screen.getByText("Waiting for quota", { selector: "strong" })).toBeDefined();
    await expectAccessible(container);
  });

  it("count what is new and put it in only when asked", async () => {
    const stream = signedIn("viewer");
    const first = makeEvent({ id: "e1", message: "The first." });
    const second = makeEvent({ id: "e2", message: "The second." });
    let known = [first];
    answers("get", EVENTS, () => onePage(known));
    renderAt("/p/vision/events");
    await screen.findByText("The first.");
    known = [second, first];
    await waitFor(() => expect(eventStream.status.get().state).toBe("live"));
    stream.tell(second);
    const button = await screen.findByRole("button", { name: "1 new" });
    expect(screen.queryByText("The second.")).toBeNull();
    await userEvent.click(button);
    expect(await screen.findByText("The second.")).toBeDefined();
    expect(screen.queryByRole("button", { name: "1 new" })).toBeNull();
  });

  it("keep their filters in the address", async () => {
    signedIn("viewer");
    const asked: string[] = [];
    answers("get", EVENTS, ({ query }) => {
      asked.push(`${query.get("resource")} ${query.getAll("reason")} ${query.get("since")}`);
      return onePage([makeEvent({ reason: "Failed" })]);
    });
    const { history } = renderAt("/p/vision/events?resource=job&reason=Failed");
    await screen.findByText("Failed", { selector: "strong" });
    await userEvent.selectOptions(screen.getByRole("combobox", { name: "Period" }), "Last 24 hours");
    await waitFor(() => expect(history.location.search).toBe("?resource=job&reason=Failed&since=24h"));
    await waitFor(() => expect(asked.at(-1)).toBe("job Failed 24h"));
  });
});
