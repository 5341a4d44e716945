let taken: string | null = null;

/**
 * The one-time code in the address (`#link=CODE`), which is removed from it at once, so that it stays in no history. Asked twice
 * (React renders twice while developing), it is the same.
 */
export function takeLinkCode(): string | null {
  const found = /^#link=([\w.~-]+)$/.exec(globalThis.location.hash)?.[1];
  if (found !== undefined) {
    taken = found;
    const { pathname, search } = globalThis.location;
    globalThis.history.replaceState(globalThis.history.state, "", pathname + search);
  }
  return taken;
}
