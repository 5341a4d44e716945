import type { ErrorComponentProps } from "@tanstack/react-router";
import { PageHeader } from "@/ui/PageHeader";
import { ErrorPanel } from "@/ui/states";
import styles from "./Page.module.css";

/** A page whose own code failed, or could not be loaded, such as after an update of the platform. */
export function PageFailed({ error }: ErrorComponentProps) {
  return (
    <div className={styles.page}>
      <PageHeader title="This page failed" />
      <ErrorPanel what="show this page" error={error} onRetry={() => globalThis.location.reload()} />
    </div>
  );
}
