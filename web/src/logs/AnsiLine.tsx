import { type CSSProperties, memo } from "react";
import styles from "./AnsiLine.module.css";
import { markMatches, type Style, spansOf, withoutColours } from "./ansi";
import { placesIn, type Query } from "./find";

/** A line longer than this is cut in the view; the download has all of it. */
const LONGEST = 10_000;

interface AnsiLineProps {
  text: string;
  query: Query;
}

/** Text of a job, as text: colours become classes, nothing becomes markup. */
export const AnsiLine = memo(function AnsiLine({ text, query }: AnsiLineProps) {
  const shown = text.length > LONGEST ? text.slice(0, LONGEST) : text;
  const places = query.text === "" ? [] : placesIn(withoutColours(shown), query);
  return (
    <>
      {markMatches(spansOf(shown), places).map((piece, index) =>
        piece.isMatch ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one unchanging text have no other name
          <mark key={index} className={styles.match}>
            {piece.text}
          </mark>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one unchanging text have no other name
          <span key={index} {...lookOf(piece.style)}>
            {piece.text}
          </span>
        ),
      )}
      {text.length > LONGEST && <span className={styles.cut}> … {text.length - LONGEST} characters more</span>}
    </>
  );
});

function lookOf(style: Style): { className?: string; style?: CSSProperties } {
  const classes = [
    style.bold && styles.bold,
    style.dim && styles.dim,
    style.italic && styles.italic,
    style.underline && styles.underline,
    style.inverse && styles.inverse,
    style.foreground !== undefined && styles.coloured,
    style.background !== undefined && styles.grounded,
  ].filter((name): name is string => typeof name === "string");
  if (classes.length === 0) return {};
  const colours: Record<string, string> = {};
  if (style.foreground !== undefined) colours["--ansi"] = css(style.foreground);
  if (style.background !== undefined) colours["--ansi-ground"] = css(style.background);
  return { className: classes.join(" "), style: colours as CSSProperties };
}

function css(colour: number | string): string {
  return typeof colour === "number" ? `var(--ansi-${colour})` : colour;
}
