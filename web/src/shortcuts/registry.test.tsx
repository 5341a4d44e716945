import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { setPreference } from "@/preferences/preferences";
import { listenForShortcuts, registerShortcut } from "./registry";

const ends: (() => void)[] = [];
const register = (keys: string) => {
  const run = vi.fn();
  ends.push(registerShortcut({ keys, description: keys, group: "Test", run }));
  return run;
};
const press = (key: string, target: EventTarget = document.body, init: KeyboardEventInit = {}) =>
  target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...init }));

beforeEach(() => {
  setPreference("shortcuts", true);
  ends.push(listenForShortcuts());
});
afterEach(() => {
  for (const end of ends.splice(0)) end();
  document.body.replaceChildren();
});

describe("shortcuts", () => {
  it("hears single keys, pairs, and keys with Ctrl or Command", () => {
    const [single, pair, mod] = [register("f"), register("g j"), register("mod+k")];
    press("f");
    press("g");
    press("j");
    press("k", document.body, { ctrlKey: true });
    press("k", document.body, { metaKey: true });
    expect([single, pair, mod].map((run) => run.mock.calls.length)).toEqual([1, 1, 2]);
  });

  it("never takes a key from a field, but Ctrl-K works there too", () => {
    const [single, mod] = [register("f"), register("mod+k")];
    const field = document.body.appendChild(document.createElement("textarea"));
    press("f", field);
    press("k", field, { ctrlKey: true });
    expect(single).not.toHaveBeenCalled();
    expect(mod).toHaveBeenCalledOnce();
  });

  it("leaves single keys alone when they are switched off", () => {
    setPreference("shortcuts", false);
    const [single, mod] = [register("f"), register("mod+k")];
    press("f");
    press("k", document.body, { ctrlKey: true });
    expect(single).not.toHaveBeenCalled();
    expect(mod).toHaveBeenCalledOnce();
  });

  it("gives the key to the one registered last, and back when that is gone", () => {
    const first = register("x");
    const second = vi.fn();
    const end = registerShortcut({ keys: "x", description: "", group: "", run: second });
    press("x");
    end();
    press("x");
    expect([first.mock.calls.length, second.mock.calls.length]).toEqual([1, 1]);
  });

  it("leaves the keyboard to an open dialog", () => {
    const run = register("f");
    const dialog = document.body.appendChild(document.createElement("dialog"));
    dialog.setAttribute("open", "");
    press("f");
    expect(run).not.toHaveBeenCalled();
  });
});
