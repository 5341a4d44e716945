import { useQuery } from "@tanstack/react-query";
import { plural } from "@/lib/format";
import { ButtonLink } from "@/ui/Button";
import { CopyButton } from "@/ui/Copy";
import { Dialog } from "@/ui/Dialog";
import { ExternalLink } from "@/ui/icons";
import { Loadable } from "@/ui/states";
import styles from "./PackagePage.module.css";
import { fileHref, fileQuery } from "./queries";

interface FileDialogProps {
  project: string;
  digest: string;
  path: string;
  onClose: () => void;
}

const WIDE = 980;

/** One text file of a package, with numbered lines. */
export function FileDialog({ project, digest, path, onClose }: FileDialogProps) {
  const query = useQuery(fileQuery(project, digest, path));
  return (
    <Dialog
      title={path}
      width={WIDE}
      onClose={onClose}
      actions={
        <>
          {query.data !== undefined && <CopyButton text={query.data} what="file" />}
          <ButtonLink href={fileHref(project, digest, path)} target="_blank" icon={<ExternalLink aria-hidden="true" />}>
            As plain text
          </ButtonLink>
        </>
      }
    >
      <Loadable query={query} what="show this file" height={360}>
        {(text) => <Lines text={text} />}
      </Loadable>
    </Dialog>
  );
}

function Lines({ text }: { text: string }) {
  const lines = text.replace(/\n$/, "").split("\n");
  const numbers = lines.map((_, index) => index + 1).join("\n");
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <div className={styles.file} tabIndex={0} role="region" aria-label={`Content, ${plural(lines.length, "line")}`}>
      <pre aria-hidden="true" className={styles.numbers}>
        {numbers}
      </pre>
      <pre>{text}</pre>
    </div>
  );
}
