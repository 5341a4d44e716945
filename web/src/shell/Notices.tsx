import { ignoredSearch } from "@/lib/search";
import { useStore } from "@/lib/store";
import { announcement } from "@/ui/announce";
import { IconButton } from "@/ui/Button";
import { Check, TriangleAlert, X } from "@/ui/icons";
import { dismissNotice, notices } from "@/ui/notify";
import styles from "./Notices.module.css";

/** What was done or failed, in the corner. */
export function Notices() {
  const shown = useStore(notices);
  const ignored = useStore(ignoredSearch);
  return (
    <section aria-label="Notices">
      <ul className={styles.list}>
        {ignored.length > 0 && (
          <li className={styles.notice}>
            <TriangleAlert aria-hidden="true" />
            <span>Part of this address is not understood and ignored: {ignored.join(", ")}</span>
            <IconButton label="Dismiss" onClick={() => ignoredSearch.set([])}>
              <X aria-hidden="true" />
            </IconButton>
          </li>
        )}
        {shown.map((notice) => (
          <li key={notice.id} className={styles.notice} data-kind={notice.kind}>
            {notice.kind === "done" ? <Check aria-hidden="true" /> : <TriangleAlert aria-hidden="true" />}
            <span>
              {notice.text}
              {notice.more !== undefined && <small>{notice.more}</small>}
            </span>
            <IconButton label="Dismiss" onClick={() => dismissNotice(notice.id)}>
              <X aria-hidden="true" />
            </IconButton>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Read out, never seen. The element stays; a change of its text is what is heard. */
export function LiveRegion() {
  const { text, count } = useStore(announcement);
  return (
    <div className="visually-hidden" aria-live="polite" aria-atomic="true">
      {/* The same sentence twice must be a change too. */}
      <span key={count}>{text}</span>
    </div>
  );
}
