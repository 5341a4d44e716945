import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import styles from "./Popup.module.css";

interface PopupProps {
  label: string;
  /** What the button shows. */
  button: ReactNode;
  buttonClass?: string | undefined;
  align?: "start" | "end";
  /** Content; `close` is for what ends it. */
  children: (close: () => void) => ReactNode;
}

/** A button and the panel that it opens. Escape, a click elsewhere and leaving it by keyboard close it. */
export function Popup({ label, button, buttonClass, align = "start", children }: PopupProps) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const trigger = useRef<HTMLButtonElement>(null);
  const panelId = useId();
  useEffect(() => {
    if (!open) return undefined;
    const onPointer = (event: PointerEvent) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener("pointerdown", onPointer);
    return () => document.removeEventListener("pointerdown", onPointer);
  }, [open]);
  const close = () => {
    setOpen(false);
    trigger.current?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only hears what its button and panel do not use
    <div
      ref={root}
      className={styles.root}
      onKeyDown={(event) => {
        if (event.key === "Escape" && open) {
          event.stopPropagation();
          close();
        }
      }}
      onBlur={(event) => {
        if (open && event.relatedTarget !== null && !root.current?.contains(event.relatedTarget)) setOpen(false);
      }}
    >
      <button
        ref={trigger}
        type="button"
        className={buttonClass ?? styles.trigger}
        aria-expanded={open}
        aria-controls={open ? panelId : undefined}
        aria-label={label}
        title={label}
        onClick={() => setOpen(!open)}
      >
        {button}
      </button>
      {open && (
        <div id={panelId} className={styles.panel} data-align={align}>
          {children(close)}
        </div>
      )}
    </div>
  );
}
