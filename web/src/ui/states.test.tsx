import { expectAccessible } from "@test/axe";
import { makeProblem } from "@test/make";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { ApiError } from "@/api/errors";
import { Empty, Loadable, NothingMatches } from "./states";

interface Shown {
  data?: string;
  error?: unknown;
}

function show({ data, error = null }: Shown, refetch = vi.fn()) {
  const view = render(
    <Loadable query={{ data, error, isFetching: false, refetch }} what="load the jobs">
      {(text) => <p>{text}</p>}
    </Loadable>,
  );
  return { ...view, refetch };
}

const failed = (over: Parameters<typeof makeProblem>[0]) => new ApiError(makeProblem(over));

describe("the states of data", () => {
  it.each<[string, Shown, string[], string[]]>([
    ["loading", {}, ["Loading: load the jobs"], ["Try again"]],
    ["there", { data: "three jobs" }, ["three jobs"], ["Try again"]],
    [
      "failed",
      { error: failed({ status: 500, detail: "It broke.", hint: "Try later." }) },
      ["Could not load the jobs", "It broke.", "Try later.", "req-1", "Try again"],
      [],
    ],
    [
      "away",
      { error: ApiError.offline(new TypeError("x")) },
      ["No connection to the platform", "Try again"],
      ["req-1"],
    ],
    [
      "denied",
      { error: failed({ status: 403, detail: "Editors may." }) },
      ["You may not see this", "Editors may."],
      ["Try again"],
    ],
    ["not found", { error: failed({ status: 404 }) }, ["There is nothing at this address"], ["Try again"]],
    [
      "old, with a failure to read it again",
      { data: "three jobs", error: failed({ status: 503, detail: "Busy." }) },
      ["three jobs", "Try again"],
      ["Could not load the jobs"],
    ],
  ])("are told: %s", async (_, shown, present, absent) => {
    const { container } = show(shown);
    for (const text of present) expect(container.textContent).toContain(text);
    for (const text of absent) expect(container.textContent).not.toContain(text);
    await expectAccessible(container);
  });

  it("can be tried again", async () => {
    const { refetch } = show({ error: failed({ status: 500 }) });
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    expect(refetch).toHaveBeenCalledOnce();
  });

  it("tell what would fill what is empty, and what hides it", async () => {
    const clear = vi.fn();
    const { container } = render(
      <>
        <Empty title="No jobs yet" command="mlp run train.py" />
        <NothingMatches what="jobs" onClear={clear} />
      </>,
    );
    expect(container.textContent).toContain("mlp run train.py");
    await userEvent.click(screen.getByRole("button", { name: "Clear filters" }));
    expect(clear).toHaveBeenCalledOnce();
    await expectAccessible(container);
  });

  it("show text of others as text", () => {
    const hostile = '<img src=x onerror="alert(1)">';
    const { container } = show({ error: failed({ status: 500, detail: hostile }) });
    expect(container.querySelector("img")).toBeNull();
    expect(container.textContent).toContain(hostile);
  });
});
