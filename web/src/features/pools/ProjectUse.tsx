import { formatBytes, formatNumber } from "@/lib/format";
import { paths } from "@/lib/paths";
import { type Column, DataTable } from "@/ui/DataTable";
import type { Usage } from "./queries";

type Row = Usage["projects"][number];

const GIB = 2 ** 30;

/** `4 of 8`, or `4` where there is no limit. */
function against(
  used: number,
  limit: number | null | undefined,
  format: (value: number) => string = formatNumber,
): string {
  return limit === null || limit === undefined ? format(used) : `${format(used)} of ${format(limit)}`;
}

const COLUMNS: Column<Row>[] = [
  { id: "project", header: "Project", width: "minmax(110px, 1.4fr)", cell: ({ project }) => project },
  {
    id: "gpu",
    header: "GPU",
    width: "minmax(70px, 1fr)",
    align: "end",
    cell: ({ held, limits }) => against(held.gpu ?? 0, limits.gpu),
  },
  {
    id: "cpu",
    header: "CPU cores",
    width: "minmax(80px, 1fr)",
    align: "end",
    cell: ({ held, limits }) => against(held.cpu ?? 0, limits.cpu),
  },
  {
    id: "memory",
    header: "Memory",
    width: "minmax(120px, 1fr)",
    align: "end",
    cell: ({ held, limits: { memory_gib } }) =>
      against(
        held.memory_bytes ?? 0,
        memory_gib === null || memory_gib === undefined ? null : memory_gib * GIB,
        formatBytes,
      ),
  },
];
const keyOf = ({ project }: Row) => project;
const hrefOf = ({ project }: Row) => paths.projectSettings(project);

/** What each project that the person sees holds now, against its limits. */
export function ProjectUse({ projects }: { projects: readonly Row[] }) {
  return <DataTable label="Use by project" rows={projects} columns={COLUMNS} rowKey={keyOf} rowHref={hrefOf} />;
}
