import axe from "axe-core";
import { expect } from "vitest";

/** No violation that can be seen without layout; colours and regions are checked in the browser tests. */
export async function expectAccessible(element: Element): Promise<void> {
  const { violations } = await axe.run(element, {
    rules: { "color-contrast": { enabled: false }, region: { enabled: false } },
  });
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`)).toEqual([]);
}
