// The look of text editors, which are CodeMirror in a shadow tree. Its styles are constructed sheets
// there, which the page's policy allows; in the document they would be style elements.
import { HighlightStyle } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

export const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.typeName, tags.propertyName], color: "var(--code-key)" },
  { tag: [tags.string, tags.regexp], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-value)" },
  { tag: tags.comment, color: "var(--ink-3)" },
]);

export const theme = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "var(--surface)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", fontSize: "13px", lineHeight: "20px" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground":
    { backgroundColor: "var(--accent-soft)" },
  ".cm-gutters": {
    color: "var(--ink-3)",
    backgroundColor: "var(--surface)",
    borderRight: "1px solid var(--line)",
  },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--hover)" },
  ".cm-tooltip": {
    color: "var(--ink)",
    backgroundColor: "var(--raised)",
    border: "1px solid var(--line-2)",
    borderRadius: "4px",
    maxWidth: "420px",
  },
  ".cm-tooltip-autocomplete ul li[aria-selected]": {
    color: "var(--accent-ink)",
    backgroundColor: "var(--accent)",
  },
  ".cm-completionDetail": { fontStyle: "normal", opacity: "0.75" },
  ".cm-completionInfo, .own-hover": { padding: "4px 8px", font: "13px/20px var(--font)" },
  ".cm-completionInfo code, .own-hover code": { fontFamily: "var(--mono)", fontSize: "11px" },
  ".cm-completionInfo p, .own-hover p": { margin: "4px 0 0" },
  ".cm-panels": { color: "var(--ink)", backgroundColor: "var(--bg)" },
  ".cm-diagnostic": { font: "13px/20px var(--font)" },
  ".cm-searchMatch": { backgroundColor: "var(--mark)" },
  ".cm-selectionMatch": { backgroundColor: "var(--pressed)" },
});

/**
 * Replaces a selection by typed text. The browser would give the text the style of what it
 * replaces, in an attribute that the page's policy refuses. Brackets go round the selection.
 */
export const replacing = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const isText = event.inputType === "insertText" && !event.isComposing;
    if (!isText || !event.data || /[([{'"`]/.test(event.data)) return false;
    if (view.state.readOnly || view.state.selection.main.empty) return false;
    view.dispatch(view.state.replaceSelection(event.data), { userEvent: "input.type" });
    event.preventDefault();
    return true;
  },
});
