import { differences, leafText } from "@/lib/flatten";
import { Panel } from "@/ui/Panel";
import styles from "./Submit.module.css";
import type { Spec } from "./schema";

/** In what the new job differs from the one that it was cloned from. */
export function Changes({ before, after }: { before: Spec; after: Spec }) {
  const found = differences(before, after);
  return (
    <Panel title="Changes" aside={found.length === 0 ? "none yet" : String(found.length)}>
      {found.length === 0 ? (
        <p className={styles.quiet}>It would run exactly as the other one did.</p>
      ) : (
        <ul className={styles.changes}>
          {found.map(({ name, one, other }) => (
            <li key={name}>
              <code>{name}</code>
              <span>
                <del>{one === undefined ? "default" : leafText(one)}</del>{" "}
                <ins>{other === undefined ? "default" : leafText(other)}</ins>
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
