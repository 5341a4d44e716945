import type { RouterHistory } from "@tanstack/react-router";

/** Paths that this application answers; all others are the platform's own (`/mlflow`, `/client`, `/api`, …). */
const OURS = /^\/($|p\/|projects|settings|pools|admin|sign-in)/;

export function isPage(path: string): boolean {
  return OURS.test(path);
}

/**
 * Plain anchors everywhere, and one listener: a plain click on a link to a page of ours goes there without loading the document
 * again. Modified clicks, downloads and other targets stay the browser's. Returns the end of it.
 */
export function navigateWithoutReload(history: RouterHistory, target: Document = document): () => void {
  const onClick = (event: MouseEvent) => {
    const href = pageOf(event);
    if (href === null) return;
    event.preventDefault();
    history.push(href);
  };
  target.addEventListener("click", onClick);
  return () => target.removeEventListener("click", onClick);
}

function pageOf(event: MouseEvent): string | null {
  const modified = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
  if (event.defaultPrevented || event.button !== 0 || modified) return null;
  const anchor = event.target instanceof Element ? event.target.closest("a") : null;
  if (anchor === null || anchor.target !== "" || anchor.hasAttribute("download")) return null;
  const url = new URL(anchor.href, globalThis.location.href);
  const isHere = url.pathname === globalThis.location.pathname && url.search === globalThis.location.search;
  if (url.origin !== globalThis.location.origin || !isPage(url.pathname) || (isHere && url.hash !== "")) return null;
  return url.pathname + url.search + url.hash;
}
