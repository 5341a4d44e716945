import type { components } from "@openapi";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { api } from "@/api/client";
import { useMe } from "@/api/me";
import { rowsOf } from "@/api/pages";
import { paths } from "@/lib/paths";
import { Button } from "@/ui/Button";
import { Confirm } from "@/ui/Confirm";
import { type Column, DataTable } from "@/ui/DataTable";
import { Plus } from "@/ui/icons";
import { notifyDone } from "@/ui/notify";
import { PageHeader } from "@/ui/PageHeader";
import { Empty, Loadable } from "@/ui/states";
import { Time } from "@/ui/Time";
import { NewToken } from "./NewToken";
import { tokensQuery } from "./queries";

type Token = components["schemas"]["TokenRead"];

const keyOf = (token: Token) => token.id;

/** The person's tokens: each shown once when it is made, revocable at any time. */
export function TokensPage() {
  const query = useInfiniteQuery(tokensQuery());
  const queries = useQueryClient();
  const own = useMe()?.token?.id;
  const [making, setMaking] = useState(false);
  const [revoking, setRevoking] = useState<Token | null>(null);
  const columns = useMemo(() => columnsFor(own, setRevoking), [own]);
  const rows = useMemo(() => rowsOf(query.data), [query.data]);
  const readAgain = () => queries.invalidateQueries({ queryKey: tokensQuery().queryKey });

  const revoke = async (token: Token) => {
    await api.DELETE("/api/v1/tokens/{token}", { params: { path: { token: token.id } } });
    notifyDone(`Token ${token.name} was revoked.`);
    await readAgain();
  };
  return (
    <>
      <PageHeader
        title="Tokens"
        above={[{ label: "Settings", href: paths.settings() }]}
        meta="What the command line and scripts sign in with. A token is shown once; only its hash is kept."
        actions={
          <Button kind="primary" icon={<Plus aria-hidden="true" />} onClick={() => setMaking(true)}>
            New token
          </Button>
        }
      />
      <Loadable query={query} what="load the tokens" height={320}>
        {() =>
          rows.length === 0 ? (
            <Empty title="No tokens yet" command={'mlp token create "my laptop"'}>
              Make one here, or sign in on the command line.
            </Empty>
          ) : (
            <DataTable
              label="Tokens"
              rows={rows}
              columns={columns}
              rowKey={keyOf}
              hasMore={query.hasNextPage}
              isLoading={query.isFetching}
              onMore={query.fetchNextPage}
            />
          )
        }
      </Loadable>
      {making && <NewToken onClose={() => setMaking(false)} onMade={() => void readAgain()} />}
      {revoking !== null && (
        <Confirm
          title={`Revoke ${revoking.name}?`}
          verb="Revoke token"
          onConfirm={() => revoke(revoking)}
          onClose={() => setRevoking(null)}
        >
          <p>What uses it is signed out within seconds, and cannot be signed in with it again.</p>
        </Confirm>
      )}
    </>
  );
}

function columnsFor(own: string | undefined, onRevoke: (token: Token) => void): Column<Token>[] {
  return [
    {
      id: "name",
      header: "Name",
      width: "minmax(140px, 2fr)",
      cell: ({ name, id }) => (id === own ? `${name} (this session)` : name),
    },
    {
      id: "prefix",
      header: "Begins with",
      width: "140px",
      fold: "medium",
      cell: ({ prefix }) => <code>{prefix}…</code>,
    },
    { id: "project", header: "Project", width: "140px", fold: "narrow", cell: ({ project }) => project ?? "all" },
    {
      id: "used",
      header: "Last used",
      width: "190px",
      fold: "narrow",
      cell: ({ last_used_at }) => <Time at={last_used_at} />,
    },
    {
      id: "expires",
      header: "Expires",
      width: "190px",
      fold: "medium",
      cell: ({ expires_at }) => <Time at={expires_at} />,
    },
    {
      id: "revoke",
      header: "Actions",
      width: "96px",
      align: "end",
      cell: (token) => (
        <Button kind="quiet" aria-label={`Revoke ${token.name}`} onClick={() => onRevoke(token)}>
          Revoke
        </Button>
      ),
    },
  ];
}
