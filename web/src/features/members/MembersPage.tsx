import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { type Role, useMay, useMe } from "@/api/me";
import { rowsOf } from "@/api/pages";
import { meQuery } from "@/api/queries";
import { useReadAgain } from "@/api/read-again";
import { useProject } from "@/shell/project";
import { Button } from "@/ui/Button";
import { Confirm } from "@/ui/Confirm";
import { type Column, DataTable } from "@/ui/DataTable";
import { FilterSelect } from "@/ui/Filters";
import { Plus } from "@/ui/icons";
import { notifyDone, notifyFailed } from "@/ui/notify";
import { PageHeader } from "@/ui/PageHeader";
import { Loadable } from "@/ui/states";
import { Time } from "@/ui/Time";
import { AddMember } from "./AddMember";
import { giveRole, MEMBERS, type Member, membersQuery, removeMember } from "./queries";
import { isLastOwner, MEANING, ROLES } from "./roles";

const keyOf = (member: Member) => member.user_id;
const NOBODY: readonly Member[] = [];

/** Who may do what in the project. Owners change it; others see it. */
export function MembersPage() {
  const project = useProject();
  const me = useMe();
  const isOwner = useMay(project, "owner");
  const queries = useQueryClient();
  const query = useInfiniteQuery(membersQuery(project));
  useReadAgain(MEMBERS, "project");
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<Member | null>(null);
  const members = useMemo(() => rowsOf(query.data), [query.data]);
  // Who is the last owner can be said only of all of them.
  const known = query.hasNextPage ? NOBODY : members;
  const own = me?.username;

  const readAgain = useCallback(async () => {
    await queries.invalidateQueries({ queryKey: ["get", MEMBERS] });
    await queries.invalidateQueries({ queryKey: meQuery().queryKey });
  }, [queries]);
  const change = useCallback(
    async (member: Member, role: Role) => {
      try {
        await giveRole(project, member.username, role);
        notifyDone(`${member.username} is ${role} now.`);
      } catch (error) {
        notifyFailed(`make ${member.username} ${role}`, error);
      }
      await readAgain();
    },
    [project, readAgain],
  );
  const columns = useMemo(
    () =>
      columnsFor({
        own,
        members: known,
        isOwner,
        onChange: (member, role) => void change(member, role),
        onRemove: setRemoving,
      }),
    [own, known, isOwner, change],
  );
  return (
    <>
      <PageHeader
        title="Members"
        meta={isOwner ? "Who may do what in this project." : "Who may do what in this project. Its owners change it."}
        actions={
          isOwner && (
            <Button kind="primary" icon={<Plus aria-hidden="true" />} onClick={() => setAdding(true)}>
              Add a member
            </Button>
          )
        }
      />
      <Loadable query={query} what="load the members" height={320}>
        {() => (
          <DataTable
            label="Members"
            rows={members}
            columns={columns}
            rowKey={keyOf}
            hasMore={query.hasNextPage}
            isLoading={query.isFetching}
            onMore={query.fetchNextPage}
          />
        )}
      </Loadable>
      {adding && <AddMember project={project} onClose={() => setAdding(false)} onAdded={() => void readAgain()} />}
      {removing !== null && (
        <Confirm
          title={removing.username === own ? "Leave this project?" : `Remove ${removing.username}?`}
          verb={removing.username === own ? "Leave project" : "Remove member"}
          onConfirm={async () => {
            await removeMember(project, removing.username);
            notifyDone(`${removing.username} is no member any more.`);
            await readAgain();
          }}
          onClose={() => setRemoving(null)}
        >
          <p>
            {removing.username === own ? "You do" : `${removing.username} does`} not see the project any more. What{" "}
            {removing.username === own ? "you" : "they"} made stays.
          </p>
        </Confirm>
      )}
    </>
  );
}

interface ColumnsOf {
  own: string | undefined;
  members: readonly Member[];
  isOwner: boolean;
  onChange: (member: Member, role: Role) => void;
  onRemove: (member: Member) => void;
}

function columnsFor({ own, members, isOwner, onChange, onRemove }: ColumnsOf): Column<Member>[] {
  const columns: Column<Member>[] = [
    {
      id: "username",
      header: "Username",
      width: "minmax(110px, 1fr)",
      cell: ({ username }) => (username === own ? `${username} (you)` : username),
    },
    {
      id: "name",
      header: "Name",
      width: "minmax(100px, 1fr)",
      fold: "narrow",
      cell: ({ display_name }) => display_name || "–",
    },
    {
      id: "role",
      header: "Role",
      width: "120px",
      cell: (member) =>
        isOwner && !isLastOwner(member, members) ? (
          <FilterSelect
            label={`Role of ${member.username}`}
            value={member.role}
            options={ROLES}
            onChange={(role) => onChange(member, role)}
          />
        ) : (
          member.role
        ),
    },
    {
      id: "meaning",
      header: "What it allows",
      width: "minmax(160px, 2fr)",
      fold: "medium",
      cell: (member) =>
        isOwner && isLastOwner(member, members) ? (
          <span title="Make somebody else an owner first.">the last owner: stays until there is another one</span>
        ) : (
          <span title={MEANING[member.role]}>{MEANING[member.role]}</span>
        ),
    },
    { id: "since", header: "Since", width: "120px", fold: "narrow", cell: ({ since }) => <Time at={since} /> },
  ];
  if (!isOwner) return columns;
  return [
    ...columns,
    {
      id: "remove",
      header: "Actions",
      width: "92px",
      align: "end",
      cell: (member) =>
        isLastOwner(member, members) ? null : (
          <Button kind="quiet" aria-label={`Remove ${member.username}`} onClick={() => onRemove(member)}>
            Remove
          </Button>
        ),
    },
  ];
}
