import { expectAccessible } from "@test/axe";
import { makeProject } from "@test/make";
import { answers, refuses } from "@test/platform";
import { renderAt } from "@test/render";
import { signedIn } from "@test/signed-in";
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it } from "vitest";
import { eventStream } from "@/api/stream";

const PROJECT = "/api/v1/projects/{project}";

afterEach(() => eventStream.follow(null));

describe("the settings of a project", () => {
  it("are only shown to those who may not change them", async () => {
    signedIn("editor");
    answers("get", PROJECT, makeProject({ limits: { gpu: 8 }, guarantees: { a100: 2 } }));
    const { container } = renderAt("/p/vision/settings");
    expect(await screen.findByText("8 accelerators")).toBeDefined();
    expect(screen.getByText("2 machines")).toBeDefined();
    expect(screen.queryByRole("button", { name: /Save|Delete/ })).toBeNull();
    await expectAccessible(container);
  });

  it("are changed by an owner against the version that was read; limits are not", async () => {
    signedIn("owner");
    answers("get", PROJECT, makeProject({ etag: '"7"' }));
    const sent: unknown[] = [];
    answers("patch", PROJECT, async ({ request }) => {
      sent.push([request.headers.get("If-Match"), await request.json()]);
      return makeProject({ etag: '"8"', description: "Images" });
    });
    renderAt("/p/vision/settings");
    await userEvent.type(await screen.findByRole("textbox", { name: "What it is for" }), "Images");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(sent).toEqual([['"7"', { description: "Images" }]]));
    expect(screen.queryByRole("button", { name: "Save limits" })).toBeNull();
  });

  it("tell that somebody else was faster", async () => {
    signedIn("owner");
    answers("get", PROJECT, makeProject());
    refuses("patch", PROJECT, 412, "version_conflict", "It was changed.");
    renderAt("/p/vision/settings");
    await userEvent.type(await screen.findByRole("textbox", { name: "What it is for" }), "x");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    expect(await screen.findByText(/Somebody else changed the project meanwhile/)).toBeDefined();
  });

  it("have limits that an administrator sets, numbers only", async () => {
    signedIn("owner", { is_admin: true });
    answers("get", PROJECT, makeProject({ limits: { cpu: 8 } }));
    const sent: unknown[] = [];
    answers("patch", PROJECT, async ({ request }) => {
      sent.push(await request.json());
      return makeProject();
    });
    renderAt("/p/vision/settings");
    const gpu = await screen.findByRole("textbox", { name: "GPU" });
    await userEvent.type(gpu, "many");
    expect(screen.getByText("A number, or nothing")).toBeDefined();
    await userEvent.clear(gpu);
    await userEvent.type(gpu, "4");
    await userEvent.click(screen.getByRole("button", { name: "Save limits" }));
    await waitFor(() => expect(sent).toEqual([{ limits: { cpu: 8, memory_gib: null, gpu: 4, jobs: null } }]));
  });

  it("do not delete what still works, and ask for the name", async () => {
    signedIn("owner");
    answers("get", PROJECT, makeProject({ live_jobs: 2 }));
    renderAt("/p/vision/settings");
    expect(await screen.findByText("2 jobs of it have not ended. Cancel them first.")).toBeDefined();
    expect(screen.getByRole("button", { name: "Delete the project" })).toHaveProperty("disabled", true);
  });
});
