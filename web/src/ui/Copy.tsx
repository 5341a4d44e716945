import { useEffect, useState } from "react";
import { copyText } from "@/lib/clipboard";
import { announce } from "./announce";
import styles from "./Copy.module.css";
import { Check, Copy } from "./icons";

const SHOWN_MS = 1500;

function useCopy(text: string, what: string): [copied: boolean, copy: () => void] {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = () => {
    void copyText(text).then((worked) => {
      setCopied(worked);
      announce(worked ? `Copied ${what}` : `The browser does not let this page copy. Select the ${what} by hand.`);
    });
  };
  return [copied, copy];
}

/** Copies `text`; `what` names it: "Copy job id". */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [copied, copy] = useCopy(text, what);
  return (
    <button type="button" className={styles.button} onClick={copy} title={`Copy ${what}`} aria-label={`Copy ${what}`}>
      {copied ? <Check aria-hidden="true" /> : <Copy aria-hidden="true" />}
    </button>
  );
}

/** An id or digest in monospace, with its copy button. */
export function Copyable({ text, shown = text, what }: { text: string; shown?: string; what: string }) {
  return (
    <span className={styles.copyable}>
      <code title={text}>{shown}</code>
      <CopyButton text={text} what={what} />
    </span>
  );
}

/** A command, or other text, as a block that can be copied. */
export function CodeBlock({ text, what = "command" }: { text: string; what?: string }) {
  return (
    <div className={styles.block}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <pre tabIndex={0} role="group" aria-label={what}>
        {text}
      </pre>
      <CopyButton text={text} what={what} />
    </div>
  );
}
