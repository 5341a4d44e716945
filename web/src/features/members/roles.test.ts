import { describe, expect, it } from "vitest";
import type { Member } from "./queries";
import { isLastOwner } from "./roles";

const member = (username: string, role: Member["role"]) => ({ username, role }) as Member;

describe("the last owner", () => {
  const ada = member("ada", "owner");
  const ben = member("ben", "editor");

  it("is the only one with that role", () => {
    expect(isLastOwner(ada, [ada, ben])).toBe(true);
    expect(isLastOwner(ben, [ada, ben])).toBe(false);
    expect(isLastOwner(ada, [ada, member("cyd", "owner")])).toBe(false);
  });
});
