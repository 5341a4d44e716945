import { cleanup, configure } from "@testing-library/react";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { platform } from "./platform";

// Pages are loaded when they are visited, which takes a moment on a busy machine.
configure({ asyncUtilTimeout: 10_000 });

// jsdom lays nothing out; what asks for sizes gets a desktop window.
Object.defineProperties(HTMLElement.prototype, {
  offsetHeight: { configurable: true, get: () => 600 },
  offsetWidth: { configurable: true, get: () => 1200 },
  clientHeight: { configurable: true, get: () => 600 },
  clientWidth: { configurable: true, get: () => 1200 },
});
Element.prototype.scrollTo = () => undefined;
globalThis.scrollTo = () => undefined;
Element.prototype.scrollIntoView = () => undefined;

globalThis.matchMedia = (query: string) =>
  Object.assign(new EventTarget(), {
    matches: false,
    media: query,
    onchange: null,
    addListener: () => undefined,
    removeListener: () => undefined,
  }) as MediaQueryList;

globalThis.ResizeObserver = class implements ResizeObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
};

HTMLDialogElement.prototype.showModal = function showModal(): void {
  this.open = true;
};
HTMLDialogElement.prototype.close = function close(): void {
  this.open = false;
};

// A request that no handler expects fails its test.
beforeAll(() => platform.listen({ onUnhandledRequest: "error" }));
beforeEach(() => localStorage.clear());
afterEach(() => {
  cleanup();
  platform.resetHandlers();
});
afterAll(() => platform.close());
