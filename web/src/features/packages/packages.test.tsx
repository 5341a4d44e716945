import type { components } from "@openapi";
import { expectAccessible } from "@test/axe";
import { makeJob, makeProblem, onePage } from "@test/make";
import { answers, platform, refuses } from "@test/platform";
import { renderAt } from "@test/render";
import { signedIn } from "@test/signed-in";
import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { afterEach, describe, expect, it } from "vitest";
import { eventStream } from "@/api/stream";
import { whyKept } from "./use";

type Package = components["schemas"]["PackageShow"];
const DIGEST = `sha256:${"4f".repeat(32)}`;
const ONE = "/api/v1/projects/{project}/packages/{digest}";
const ADDRESS = `/p/vision/packages/${encodeURIComponent(DIGEST)}`;

function makePackage(over: Partial<Package> = {}): Package {
  return {
    digest: DIGEST,
    name: "digits",
    size: 1536,
    uncompressed_size: 4096,
    files: 2,
    complete: true,
    created_by: "ada",
    created_at: "2026-12-01T09:00:00Z",
    used_by_jobs: 0,
    truncated: false,
    contents: [
      { path: "src/train.py", size: 1000, mode: 420 },
      { path: "<img src=x onerror=alert(1)>.py", size: 24, mode: 420 },
    ],
    ...over,
  };
}

function answerPage(over: Partial<Package> = {}) {
  answers("get", ONE, makePackage(over));
  answers("get", "/api/v1/projects/{project}/jobs", onePage(over.used_by_jobs ? [makeJob()] : []));
}

afterEach(() => eventStream.follow(null));

describe("why a package is kept", () => {
  it("counts who needs it", () => {
    expect(whyKept(0)).toBeNull();
    expect(whyKept(1)).toBe("Kept: 1 job can be run again from it, also after it ended.");
    expect(whyKept(12)).toBe("Kept: 12 jobs can be run again from it, also after they ended.");
  });
});

describe("the page of a package", () => {
  it("says why one in use cannot be deleted, where the keyboard finds it", async () => {
    signedIn("editor");
    answerPage({ used_by_jobs: 3 });
    const { container } = renderAt(ADDRESS);
    const button = await screen.findByRole("button", { name: "Delete" });
    expect(button.getAttribute("aria-disabled")).toBe("true");
    const reason = document.getElementById(button.getAttribute("aria-describedby") ?? "");
    expect(reason?.textContent).toContain("3 jobs can be run again from it");
    await userEvent.click(button);
    expect(screen.queryByRole("dialog")).toBeNull();
    await expectAccessible(container);
  });

  it("explains it too where a job came in between", async () => {
    signedIn("editor");
    answerPage();
    refuses("delete", ONE, 409, "still_in_use", "1 job names this package.");
    renderAt(ADDRESS);
    await userEvent.click(await screen.findByRole("button", { name: "Delete" }));
    await userEvent.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Delete" }));
    expect(await screen.findAllByText(/Could not delete: 1 job names this package\./)).not.toEqual([]);
  });

  it("shows file names as text and nothing else", async () => {
    signedIn("viewer");
    answerPage();
    renderAt(ADDRESS);
    expect(await screen.findByText("<img src=x onerror=alert(1)>.py")).toBeDefined();
    expect(document.querySelector("img[src='x']")).toBeNull();
  });

  it("shows a text file with the address that leads to it, and why another cannot be shown", async () => {
    signedIn("viewer");
    answerPage();
    platform.use(
      http.get("*/files/src/train.py", () => HttpResponse.text("import mlp\nmlp.run()\n")),
      http.get("*/files/*", () =>
        HttpResponse.json(makeProblem({ status: 422, detail: "It is no text." }), { status: 422 }),
      ),
    );
    const { history } = renderAt(ADDRESS);
    await userEvent.click(await screen.findByRole("button", { name: "train.py" }));
    expect(await screen.findByRole("region", { name: "Content, 2 lines" })).toBeDefined();
    expect(history.location.search).toBe("?file=src/train.py");
    await userEvent.click(screen.getByRole("button", { name: "Close" }));
    await userEvent.click(await screen.findByRole("button", { name: "<img src=x onerror=alert(1)>.py" }));
    expect(await screen.findByText("It is no text.")).toBeDefined();
  });

  it("offers the archive to everybody, deleting to editors", async () => {
    signedIn("viewer");
    answerPage();
    renderAt(ADDRESS);
    const download = await screen.findByRole("link", { name: "Download" });
    expect(download.getAttribute("href")).toBe(
      `/api/v1/projects/vision/packages/${encodeURIComponent(DIGEST)}/content`,
    );
    expect(screen.queryByRole("button", { name: "Delete" })).toBeNull();
  });

  it("says how an upload that broke off is gone on with", async () => {
    signedIn("editor");
    answerPage({ complete: false, contents: [], files: null });
    renderAt(ADDRESS);
    expect(await screen.findByText(/Sending the same folder again goes on with it/)).toBeDefined();
    expect(screen.queryByRole("link", { name: "Download" })).toBeNull();
  });
});
