import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "react";

/** A complaint about a line. */
export interface Mark {
  line: number;
  message: string;
}

interface EditorProps {
  label: string;
  text: string;
  marks: readonly Mark[];
  onChange: (text: string) => void;
}

const highlight = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--accent-text)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--status-succeeded)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--status-preempted)" },
  { tag: tags.comment, color: "var(--text-3)", fontStyle: "italic" },
]);

const look = EditorView.theme({
  "&": { height: "100%", backgroundColor: "var(--surface)", color: "var(--text-1)", fontSize: "var(--size-meta)" },
  "&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--font-mono)", lineHeight: "1.6" },
  ".cm-content": { caretColor: "var(--text-1)", padding: "10px 0" },
  ".cm-cursor": { borderLeftColor: "var(--text-1)" },
  ".cm-gutters": { backgroundColor: "var(--sunken)", color: "var(--text-3)", border: "none" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--selected)",
  },
  ".cm-tooltip": { backgroundColor: "var(--raised)", border: "1px solid var(--line)", color: "var(--text-1)" },
});

/** Text with line numbers, colours and undo. Tab leaves it, as it leaves every field; Enter keeps the indentation. */
export default function Editor({ label, text, marks, onChange }: EditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef(onChange);
  useEffect(() => {
    latest.current = onChange;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is made once; the text that follows is laid over it below
  useEffect(() => {
    if (place.current === null) return undefined;
    const made = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(),
          history(),
          yaml(),
          indentUnit.of("  "),
          syntaxHighlighting(highlight),
          lintGutter(),
          look,
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ "aria-label": label }),
          keymap.of([...defaultKeymap, ...historyKeymap]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged && !update.transactions.some((one) => one.isUserEvent("sync"))) {
              latest.current(update.state.doc.toString());
            }
          }),
        ],
      }),
    });
    view.current = made;
    return () => made.destroy();
  }, []);
  useEffect(() => {
    const editor = view.current;
    if (editor === null || editor.state.doc.toString() === text) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text }, userEvent: "sync" });
  }, [text]);
  useEffect(() => {
    const editor = view.current;
    if (editor === null) return;
    const found = marks.map(({ line, message }): Diagnostic => {
      const { from, to } = editor.state.doc.line(Math.min(Math.max(1, line), editor.state.doc.lines));
      return { from, to, severity: "error", message };
    });
    editor.dispatch(setDiagnostics(editor.state, found));
  }, [marks]);
  return <div ref={place} style={{ height: "100%" }} />;
}
