import { useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { useMay } from "@/api/me";
import { rowsOf } from "@/api/pages";
import { useReadAgain } from "@/api/read-again";
import { formatCount, shortDigest } from "@/lib/format";
import { paths } from "@/lib/paths";
import { useProject } from "@/shell/project";
import { type Column, DataTable } from "@/ui/DataTable";
import { PageHeader } from "@/ui/PageHeader";
import { Bytes } from "@/ui/quantities";
import { Status } from "@/ui/Status";
import { Empty, Loadable } from "@/ui/states";
import { Time } from "@/ui/Time";
import { PACKAGES, type Package, packagesQuery } from "./queries";

const HEIGHT = "calc(100dvh - 150px)";
const COLUMNS: Column<Package>[] = [
  {
    id: "digest",
    header: "Package",
    width: "minmax(110px, 130px)",
    cell: ({ digest }) => <code>{shortDigest(digest)}</code>,
  },
  {
    id: "name",
    header: "Folder",
    width: "minmax(90px, 1.5fr)",
    cell: ({ name }) => <span title={name ?? ""}>{name ?? "–"}</span>,
  },
  {
    id: "state",
    header: "State",
    width: "110px",
    fold: "narrow",
    cell: ({ complete }) => (
      <Status phase={complete ? "succeeded" : "queued"}>{complete ? "complete" : "uploading"}</Status>
    ),
  },
  {
    id: "files",
    header: "Files",
    width: "70px",
    align: "end",
    fold: "narrow",
    cell: ({ files }) => (files === null || files === undefined ? "–" : formatCount(files)),
  },
  { id: "size", header: "Size", width: "84px", align: "end", cell: ({ size }) => <Bytes value={size} /> },
  {
    id: "unpacked",
    header: "Unpacked",
    width: "84px",
    align: "end",
    fold: "medium",
    cell: ({ uncompressed_size }) => <Bytes value={uncompressed_size} />,
  },
  {
    id: "jobs",
    header: "Jobs",
    width: "60px",
    align: "end",
    cell: ({ used_by_jobs = 0 }) => formatCount(used_by_jobs),
  },
  { id: "who", header: "By", width: "minmax(80px, 1fr)", fold: "medium", cell: ({ created_by }) => created_by },
  {
    id: "created",
    header: "Created",
    width: "120px",
    fold: "narrow",
    cell: ({ created_at }) => <Time at={created_at} />,
  },
];
const keyOf = (one: Package) => one.digest;

/** The archives of code that jobs of the project ran, or can run. */
export function PackagesPage() {
  const project = useProject();
  const query = useInfiniteQuery(packagesQuery(project));
  const mayPush = useMay(project, "editor");
  useReadAgain(PACKAGES, "package");
  const rows = useMemo(() => rowsOf(query.data), [query.data]);
  const hrefOf = useCallback((one: Package) => paths.package(project, one.digest), [project]);
  return (
    <>
      <PageHeader title="Packages" meta="Archives of code, each named by its content. Equal folders are kept once." />
      <Loadable query={query} what="load the packages" height={320}>
        {() =>
          rows.length === 0 ? (
            <Empty title="No packages yet" {...(mayPush ? { command: "mlp package push" } : {})}>
              Submitting a job sends its folder by itself.
            </Empty>
          ) : (
            <DataTable
              label="Packages"
              rows={rows}
              columns={COLUMNS}
              rowKey={keyOf}
              rowHref={hrefOf}
              hasMore={query.hasNextPage}
              isLoading={query.isFetching}
              onMore={query.fetchNextPage}
              height={HEIGHT}
            />
          )
        }
      </Loadable>
    </>
  );
}
