import { readFileSync } from "node:fs";
import { contrast, distance, VISIONS } from "@test/colour";
import { describe, expect, it } from "vitest";
import { TONES } from "@/ui/status";

const css = readFileSync("src/styles/tokens.css", "utf8");
const SERIES = [1, 2, 3, 4, 5, 6].map((number) => `--series-${number}`);
const STATUSES = TONES.map((tone) => `--status-${tone}`);

function tokens(scheme: "light" | "dark"): (name: string) => string {
  const block = css.split(`:root[data-theme="${scheme}"]`)[1]?.split("}")[0] ?? "";
  const found = new Map([...block.matchAll(/(--[\w-]+):\s*(#[0-9a-f]{6})/g)].map(([, name, value]) => [name, value]));
  return (name) => {
    const value = found.get(name);
    if (value === undefined) throw new Error(`${scheme} has no colour ${name}`);
    return value;
  };
}

function pairs<T>(items: readonly T[]): [T, T][] {
  return items.flatMap((one, index) => items.slice(index + 1).map((other): [T, T] => [one, other]));
}

function tooClose(names: string[], colour: (name: string) => string, least: number): string[] {
  return VISIONS.flatMap((vision) =>
    pairs(names)
      .map(([one, other]) => ({ one, other, apart: distance(colour(one), colour(other), vision) }))
      .filter(({ apart }) => apart < least)
      .map(({ one, other, apart }) => `${one} and ${other} with ${vision}: ${apart.toFixed(1)}`),
  );
}

describe.each(["light", "dark"] as const)("the %s scheme", (scheme) => {
  const colour = tokens(scheme);

  it("keeps statuses apart for every kind of colour vision", () => {
    expect(tooClose(STATUSES, colour, 12)).toEqual([]);
  });

  it("keeps series apart for every kind of colour vision", () => {
    expect(tooClose(SERIES, colour, 15)).toEqual([]);
  });

  it("lets series be seen on the ground of a chart", () => {
    expect(SERIES.filter((name) => contrast(colour(name), colour("--surface")) < 3)).toEqual([]);
  });

  it.each(STATUSES)("lets %s be read on every ground it stands on", (name) => {
    const grounds = ["--surface", "--background", "--hover", "--selected", `${name}-soft`];
    expect(grounds.filter((ground) => contrast(colour(name), colour(ground)) < 4.5)).toEqual([]);
  });

  it.each(["--text-1", "--text-2", "--text-3", "--accent-text"])("lets %s be read on every ground", (name) => {
    const grounds = ["--surface", "--background", "--sunken", "--raised", "--hover", "--selected"];
    expect(grounds.filter((ground) => contrast(colour(name), colour(ground)) < 4.5)).toEqual([]);
  });

  it("lets the words of filled buttons be read, and the edges of controls be seen", () => {
    expect(contrast(colour("--on-accent"), colour("--accent-fill"))).toBeGreaterThanOrEqual(4.5);
    expect(contrast(colour("--on-accent"), colour("--accent-fill-hover"))).toBeGreaterThanOrEqual(4.5);
    expect(contrast(colour("--line-strong"), colour("--surface"))).toBeGreaterThanOrEqual(3);
    expect(contrast(colour("--focus"), colour("--surface"))).toBeGreaterThanOrEqual(3);
  });
});
