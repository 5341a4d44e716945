import { PageHeader } from "@/ui/PageHeader";
import { NotFound } from "@/ui/states";
import styles from "./Page.module.css";

/** For addresses that no page has. It stands alone, outside of the shell. */
export function PageMissing() {
  return (
    <main className={styles.page}>
      <PageHeader title="Not found" />
      <NotFound />
      <p className={styles.centered}>
        <a href="/">Go to the start</a>
      </p>
    </main>
  );
}
