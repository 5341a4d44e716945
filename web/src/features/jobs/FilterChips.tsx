import { X } from "@/ui/icons";
import styles from "./Jobs.module.css";
import { activeFilters, filterInWords, type JobsSearch, withoutFilters } from "./search";

/** The filters that stand in no other control of the page; each can be taken away. */
export function FilterChips({ search, onChange }: { search: JobsSearch; onChange: (search: JobsSearch) => void }) {
  const shown = activeFilters(search).filter((name) => name !== "phase" && name !== "q");
  return (
    <div className={styles.chips}>
      {shown.map((name) => (
        <button
          key={name}
          type="button"
          className={styles.chip}
          aria-label={`Remove the filter: ${filterInWords(name, search)}`}
          onClick={() => onChange({ ...search, [name]: undefined })}
        >
          <span>{filterInWords(name, search)}</span>
          <X aria-hidden="true" />
        </button>
      ))}
      {shown.length > 1 && (
        <button type="button" className={styles.phase} onClick={() => onChange(withoutFilters(search))}>
          Clear all
        </button>
      )}
    </div>
  );
}
