import type { AnyRouter } from "@tanstack/react-router";
import { ignoredSearch } from "@/lib/search";
import { announce } from "@/ui/announce";

/** After a change of page: the focus goes to its h1, and its title is read out. */
export function focusAfterNavigation(router: Pick<AnyRouter, "subscribe">): () => void {
  let isFirst = true;
  return router.subscribe("onRendered", ({ pathChanged, fromLocation }) => {
    if (!pathChanged) return;
    if (!isFirst && fromLocation !== undefined) focusTitle();
    isFirst = false;
  });
}

/** Leave what the last address was not understood for, when another page is visited. */
export function forgetIgnoredSearch(): void {
  ignoredSearch.set([]);
}

function focusTitle(): void {
  const title = document.querySelector<HTMLElement>("[data-page-title]");
  if (title === null) return;
  title.focus({ preventScroll: true });
  announce(title.textContent ?? "");
}
