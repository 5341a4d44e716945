import { type ReactNode, useEffect, useId, useRef } from "react";
import { IconButton } from "./Button";
import styles from "./Dialog.module.css";
import { X } from "./icons";

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
  /** Buttons at the end. */
  actions?: ReactNode;
  width?: number;
  /** It can only be answered, not dismissed. */
  persistent?: boolean;
}

/** A modal dialog of the browser itself: it keeps the focus, closes on Escape and gives the focus back. */
export function Dialog({ title, onClose, children, actions, width = 480, persistent = false }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = element.current;
    const before = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape is the browser's own; a click beside the dialog is its extra
    <dialog
      ref={element}
      className={styles.dialog}
      style={{ width }}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        if (!persistent) onClose();
      }}
      onClick={(event) => {
        if (event.target === element.current && !persistent) onClose();
      }}
    >
      <div className={styles.inner}>
        <div className={styles.head}>
          <h2 id={titleId}>{title}</h2>
          {!persistent && (
            <IconButton label="Close" onClick={onClose}>
              <X aria-hidden="true" />
            </IconButton>
          )}
        </div>
        {children}
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
      </div>
    </dialog>
  );
}
