import { cleanup, configure } from "@testing-library/react";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { sessionState } from "@/api/session-state";
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

// jsdom draws nothing; charts get a canvas that takes whatever is drawn on it.
const canvas = new Proxy(
  {},
  { get: (_, name) => () => (name === "measureText" ? { width: 0 } : undefined), set: () => true },
) as CanvasRenderingContext2D;
HTMLCanvasElement.prototype.getContext = (() => canvas) as unknown as typeof HTMLCanvasElement.prototype.getContext;
globalThis.Path2D ??= class {
  addPath(): void {}
  arc(): void {}
  bezierCurveTo(): void {}
  closePath(): void {}
  lineTo(): void {}
  moveTo(): void {}
  rect(): void {}
} as unknown as typeof Path2D;

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
  // Files share their modules: a session that ended in one test must not ask the next one to sign in.
  sessionState.set(() => "unknown");
});
afterAll(() => platform.close());
