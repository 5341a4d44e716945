import { useStore } from "@/lib/store";
import { usePreferences } from "@/preferences/preferences";
import { Dialog } from "@/ui/Dialog";
import { keyCaps, type Shortcut, shortcuts } from "./registry";
import styles from "./ShortcutSheet.module.css";

/** What the keyboard does on this page, from the registry itself. */
export default function ShortcutSheet({ onClose }: { onClose: () => void }) {
  const groups = byGroup(useStore(shortcuts));
  const { shortcuts: on } = usePreferences();
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} width={560}>
      {!on && <p>Single keys are switched off in your settings.</p>}
      <div className={styles.groups}>
        {[...groups].map(([group, entries]) => (
          <section key={group} aria-label={group}>
            <h3>{group}</h3>
            <dl>
              {entries.map(({ keys, description }) => (
                <div key={keys} className={styles.row}>
                  <dt>{description}</dt>
                  <dd>
                    {keyCaps(keys).map((cap) => (
                      <kbd key={cap}>{cap}</kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

/** By group; of equal keys only the one that counts, which is the last. */
export function byGroup(all: readonly Shortcut[]): Map<string, Shortcut[]> {
  const winners = new Map(all.map((shortcut) => [shortcut.keys, shortcut]));
  const groups = new Map<string, Shortcut[]>();
  for (const shortcut of winners.values()) {
    groups.set(shortcut.group, [...(groups.get(shortcut.group) ?? []), shortcut]);
  }
  return groups;
}
