import type { components } from "@openapi";
import { expectAccessible } from "@test/axe";
import { makeProblem, onePage } from "@test/make";
import { answers, platform, refuses } from "@test/platform";
import { renderAt } from "@test/render";
import { signedIn } from "@test/signed-in";
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { afterEach, describe, expect, it } from "vitest";
import { eventStream } from "@/api/stream";

type Member = components["schemas"]["MemberRead"];
const MEMBERS = "/api/v1/projects/{project}/members";
const ONE = `${MEMBERS}/{user}` as const;

const member = (username: string, role: Member["role"]): Member => ({
  user_id: `user_${username}`,
  username,
  display_name: "",
  role,
  since: "2026-12-01T09:00:00Z",
});

afterEach(() => eventStream.follow(null));

describe("the members of a project", () => {
  it("are only shown to those who may not change them", async () => {
    signedIn("editor");
    answers("get", MEMBERS, onePage([member("ada", "owner"), member("ben", "editor")]));
    renderAt("/p/vision/members");
    const table = await screen.findByRole("table", { name: "Members" });
    expect(within(table).getByText("ben")).toBeDefined();
    expect(within(table).queryByRole("combobox")).toBeNull();
    expect(screen.queryByRole("button", { name: /Add|Remove/ })).toBeNull();
  });

  it("change their role at the hand of an owner; the last owner stays", async () => {
    signedIn("owner");
    answers("get", MEMBERS, onePage([member("ada", "owner"), member("ben", "viewer")]));
    const given: unknown[] = [];
    answers("put", ONE, async ({ request, params }) => {
      given.push([params.user, await request.json()]);
      return member("ben", "editor");
    });
    const { container } = renderAt("/p/vision/members");
    const roles = await screen.findAllByRole("combobox");
    expect(roles.map((role) => role.getAttribute("aria-label"))).toEqual(["Role of ben"]);
    expect(screen.queryByRole("button", { name: "Remove ada" })).toBeNull();
    await userEvent.selectOptions(screen.getByRole("combobox", { name: "Role of ben" }), "editor");
    await waitFor(() => expect(given).toEqual([["ben", { role: "editor" }]]));
    await expectAccessible(container);
  });

  it("are added by username; what is wrong with it stands at the field", async () => {
    signedIn("owner");
    answers("get", MEMBERS, onePage([member("ada", "owner")]));
    platform.use(
      http.put("*/members/nobody", () =>
        HttpResponse.json(makeProblem({ status: 404, detail: "There is no user 'nobody'." }), { status: 404 }),
      ),
    );
    renderAt("/p/vision/members");
    await userEvent.click(await screen.findByRole("button", { name: "Add a member" }));
    const dialog = screen.getByRole("dialog", { name: "Add a member" });
    await userEvent.type(within(dialog).getByRole("textbox", { name: "Username" }), "nobody");
    await userEvent.click(within(dialog).getByRole("button", { name: "Add member" }));
    expect(await within(dialog).findByText("There is no user 'nobody'.")).toBeDefined();
  });

  it("say what the platform refuses", async () => {
    signedIn("owner");
    answers("get", MEMBERS, onePage([member("ada", "owner"), member("ben", "owner")]));
    refuses("delete", ONE, 409, "still_in_use", "ben is the last owner of 'vision'.");
    renderAt("/p/vision/members");
    await userEvent.click(await screen.findByRole("button", { name: "Remove ben" }));
    await userEvent.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Remove member" }));
    expect(await screen.findAllByText(/Could not remove member: ben is the last owner/)).not.toEqual([]);
  });
});
