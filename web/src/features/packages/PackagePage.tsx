import type { components } from "@openapi";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { api } from "@/api/client";
import { useMay } from "@/api/me";
import { formatCount, plural, shortDigest } from "@/lib/format";
import { paths } from "@/lib/paths";
import { useProject } from "@/shell/project";
import { ButtonLink } from "@/ui/Button";
import { Copyable } from "@/ui/Copy";
import { DeleteButton } from "@/ui/DeleteButton";
import { FileTree } from "@/ui/FileTree";
import { Download } from "@/ui/icons";
import { JobTable } from "@/ui/JobTable";
import { notifyDone } from "@/ui/notify";
import { PageHeader } from "@/ui/PageHeader";
import { Fact, Facts, Panel } from "@/ui/Panel";
import { Bytes } from "@/ui/quantities";
import { Status } from "@/ui/Status";
import { Loadable } from "@/ui/states";
import { Time } from "@/ui/Time";
import { FileDialog } from "./FileDialog";
import { packageRoute } from "./feature";
import styles from "./PackagePage.module.css";
import { contentHref, PACKAGES, packageQuery } from "./queries";
import { whyKept } from "./use";

type Package = components["schemas"]["PackageShow"];

/** One archive of code: its files, who ran it, the archive itself. */
export function PackagePage() {
  const project = useProject();
  const { digest } = packageRoute.useParams();
  const query = useQuery(packageQuery(project, digest));
  const found = query.data;
  return (
    <>
      <PageHeader
        title={found?.name ? found.name : `Package ${shortDigest(digest)}`}
        above={[{ label: "Packages", href: paths.packages(project) }]}
        status={
          found &&
          !found.complete && (
            <Status phase="queued" badge>
              uploading
            </Status>
          )
        }
        meta={<Copyable text={digest} shown={shortDigest(digest)} what="digest" />}
        actions={found && <Actions project={project} found={found} />}
      />
      <Loadable query={query} what="load this package" height={420}>
        {(one) => (
          <div className={styles.page}>
            <Panel title="About it">
              <PackageFacts found={one} />
            </Panel>
            <Files project={project} found={one} />
            <Jobs project={project} digest={one.digest} />
          </div>
        )}
      </Loadable>
    </>
  );
}

function Actions({ project, found }: { project: string; found: Package }) {
  const navigate = packageRoute.useNavigate();
  const queries = useQueryClient();
  const mayDelete = useMay(project, "editor");
  const remove = async () => {
    await api.DELETE(`${PACKAGES}/{digest}`, { params: { path: { project, digest: found.digest } } });
    notifyDone(`Package ${shortDigest(found.digest)} was deleted.`);
    await queries.invalidateQueries({ queryKey: ["get", PACKAGES] });
    await navigate({ to: paths.packages(project) });
  };
  return (
    <>
      {mayDelete && (
        <DeleteButton
          what={`package ${shortDigest(found.digest)}`}
          blocked={whyKept(found.used_by_jobs ?? 0)}
          onDelete={remove}
        >
          <p>No job names it. The same folder can be sent again.</p>
        </DeleteButton>
      )}
      {found.complete && (
        <ButtonLink href={contentHref(project, found.digest)} download icon={<Download aria-hidden="true" />}>
          Download
        </ButtonLink>
      )}
    </>
  );
}

function PackageFacts({ found }: { found: Package }) {
  const { files, size, uncompressed_size, created_by, created_at, used_by_jobs = 0 } = found;
  return (
    <Facts>
      <Fact label="Files">{files === null || files === undefined ? "–" : formatCount(files)}</Fact>
      <Fact label="Archive">
        <Bytes value={size} />
      </Fact>
      <Fact label="Unpacked">
        <Bytes value={uncompressed_size} />
      </Fact>
      <Fact label="Used by">{plural(used_by_jobs, "job")}</Fact>
      <Fact label="Sent by">{created_by}</Fact>
      <Fact label="Sent">
        <Time at={created_at} />
      </Fact>
    </Facts>
  );
}

function Files({ project, found }: { project: string; found: Package }) {
  const { contents, truncated, files, complete, digest } = found;
  const { file } = packageRoute.useSearch();
  const navigate = packageRoute.useNavigate();
  const show = (path: string) => void navigate({ search: { file: path } });
  // Not a step of its own: going back from there must not open the file again.
  const close = () => void navigate({ search: {}, replace: true });
  const more = truncated === true && files !== null && files !== undefined;
  return (
    <Panel
      title="Files"
      flush
      aside={more && `the first ${formatCount(contents.length)} of ${formatCount(files)}; the archive has all`}
    >
      {complete ? (
        <FileTree
          label="Files of the package"
          files={contents}
          nameOf={({ path }, name) => (
            <button type="button" className={styles.open} onClick={() => show(path)}>
              {name}
            </button>
          )}
        />
      ) : (
        <p className={styles.quiet}>The upload is not complete. Sending the same folder again goes on with it.</p>
      )}
      {file !== undefined && <FileDialog project={project} digest={digest} path={file} onClose={close} />}
    </Panel>
  );
}

function Jobs({ project, digest }: { project: string; digest: string }) {
  const filter = useMemo(() => ({ package: digest }), [digest]);
  return (
    <Panel title="Used by" flush aside={<a href={paths.jobs(project, { package: digest })}>All in the list of jobs</a>}>
      <JobTable
        project={project}
        label="Jobs that use this package"
        filter={filter}
        none="No job names it."
        className={styles.quiet}
      />
    </Panel>
  );
}
