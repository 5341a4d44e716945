import {
  forwardRef,
  type KeyboardEvent,
  type MouseEvent,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import type { Zone } from "@/lib/time";
import { FixedRows } from "./FixedRows";
import type { Query } from "./find";
import { type LineLook, lineAddress } from "./LogRow";
import styles from "./LogView.module.css";
import type { LogStore } from "./store";
import { WrappedRows } from "./WrappedRows";

export interface LogViewHandle {
  /** Brings a row of the store into the middle of the view. */
  show: (index: number) => void;
  focus: () => void;
}

export interface LogViewProps {
  store: LogStore;
  label: string;
  query: Query;
  wrap: boolean;
  times: Zone | null;
  /** The row that is pointed at, as a place: `index + store.trimmed`. */
  active: number | null;
  isFollowing: boolean;
  onFollow: (follow: boolean) => void;
  /** The number of a line was clicked. */
  onLine: (address: string) => void;
  /** Address of the page with that line. */
  hrefOf: (address: string) => string;
}

/** So close to the end counts as there. */
const AT_END_PX = 24;

/** The lines in view, of any number. It sticks to the end while it follows, and stays where it is while it does not. */
export const LogView = forwardRef<LogViewHandle, LogViewProps>(function LogView(props, handle) {
  const { store, label, query, wrap, times, active, isFollowing, onFollow, onLine, hrefOf } = props;
  const version = useSyncExternalStore(store.subscribe, () => store.version);
  const scroller = useRef<HTMLDivElement>(null);
  const lastTop = useRef(0);
  const lastTrimmed = useRef(store.trimmed);
  const [target, setTarget] = useState<{ index: number } | null>(null);
  useImperativeHandle(handle, () => ({
    show: (index) => setTarget({ index }),
    focus: () => scroller.current?.focus(),
  }));

  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever lines came
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const gone = store.trimmed - lastTrimmed.current;
    lastTrimmed.current = store.trimmed;
    if (isFollowing) element.scrollTop = element.scrollHeight;
    else if (gone !== 0) element.scrollTop -= gone * rowHeight(element);
    lastTop.current = element.scrollTop;
  }, [version, isFollowing, wrap]);

  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const onScroll = () => {
      const { scrollTop, scrollHeight, clientHeight } = element;
      const movedUp = scrollTop < lastTop.current - 1;
      lastTop.current = scrollTop;
      if (scrollHeight - scrollTop - clientHeight < AT_END_PX) onFollow(true);
      else if (movedUp) onFollow(false);
    };
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => element.removeEventListener("scroll", onScroll);
  }, [onFollow]);

  const onClick = (event: MouseEvent) => {
    const anchor = event.target instanceof Element ? event.target.closest<HTMLElement>("a[data-line]") : null;
    if (anchor === null || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    onLine(anchor.dataset.line ?? "");
  };
  const look: LineLook = { query, times, active, hrefOf, showSource: store.sources > 1 };
  const Rows = wrap ? WrappedRows : FixedRows;
  return (
    <div
      ref={scroller}
      role="log"
      aria-live="off"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      className={styles.scroller}
      onClick={onClick}
      onKeyDown={(event) => toEnds(event, scroller.current)}
    >
      <Rows store={store} version={version} scroller={scroller} look={look} target={target} />
    </div>
  );
});

export { lineAddress };

/** Home and End go to the ends of the log, not of the line. */
function toEnds(event: KeyboardEvent, element: HTMLDivElement | null): void {
  if (element === null || event.ctrlKey || event.metaKey) return;
  if (event.key === "Home") element.scrollTop = 0;
  else if (event.key === "End") element.scrollTop = element.scrollHeight;
  else return;
  event.preventDefault();
}

function rowHeight(element: HTMLElement): number {
  return element.querySelector<HTMLElement>("[data-row]")?.offsetHeight ?? 0;
}
