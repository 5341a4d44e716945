import { keyCaps } from "@/shortcuts/registry";
import { IconButton } from "@/ui/Button";
import { CircleHelp, Menu, Search } from "@/ui/icons";
import { ProjectSwitcher } from "./ProjectSwitcher";
import { StreamMark } from "./StreamMark";
import styles from "./TopBar.module.css";
import { UserMenu } from "./UserMenu";

interface TopBarProps {
  onMenu: () => void;
  onPalette: () => void;
  onShortcuts: () => void;
}

export function TopBar({ onMenu, onPalette, onShortcuts }: TopBarProps) {
  return (
    <header className={styles.bar}>
      <IconButton label="Navigation" className={styles.menu} onClick={onMenu}>
        <Menu aria-hidden="true" />
      </IconButton>
      <a href="/" className={styles.mark} aria-label="mlp, start">
        <img src="/icon.svg" alt="" width="22" height="22" />
      </a>
      <ProjectSwitcher />
      <button type="button" className={styles.search} onClick={onPalette}>
        <Search aria-hidden="true" />
        <span className={styles.word}>Search</span>
        <span className="visually-hidden">pages, jobs and actions</span>
        <kbd>{keyCaps("mod+k").join(" ")}</kbd>
      </button>
      <div className={styles.end}>
        <StreamMark />
        <IconButton label="Keyboard shortcuts" className={styles.help} onClick={onShortcuts}>
          <CircleHelp aria-hidden="true" />
        </IconButton>
        <UserMenu />
      </div>
    </header>
  );
}
