/** Roles in words, and the rule of the last owner. Pure. */
import type { Role } from "@/api/me";
import type { Member } from "./queries";

export const ROLES: readonly (readonly [Role, string])[] = [
  ["viewer", "viewer"],
  ["editor", "editor"],
  ["owner", "owner"],
];

export const MEANING: Record<Role, string> = {
  viewer: "sees everything in the project",
  editor: "also runs and stops jobs and clusters, and deletes what nothing uses",
  owner: "also says who is a member, and changes the project",
};

/** Whether the project would be left without an owner. Only known when all members are. */
export function isLastOwner(member: Member, members: readonly Member[]): boolean {
  return member.role === "owner" && members.filter(({ role }) => role === "owner").length === 1;
}
