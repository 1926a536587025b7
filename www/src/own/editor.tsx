// The text editor of an own policy: CodeMirror in a shadow tree. Its styles are constructed sheets
// there, which the page's policy allows; in the document they would be style elements.
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import {
  defaultKeymap,
  historyField,
  historyKeymap,
  indentWithTab,
  history as undoing,
} from "@codemirror/commands";
import { javascript, javascriptLanguage, typescriptLanguage } from "@codemirror/lang-javascript";
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from "@codemirror/language";
import { type Diagnostic, forceLinting, linter, lintGutter } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "preact/hooks";
import type { CodeProblem } from "../state";
import { completeMembers, hover, unknownMembers } from "./complete";

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.typeName, tags.propertyName], color: "var(--code-key)" },
  { tag: [tags.string, tags.regexp], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-value)" },
  { tag: tags.comment, color: "var(--ink-3)" },
]);

const theme = EditorView.theme({
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
const replacing = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const isText = event.inputType === "insertText" && !event.isComposing;
    if (!isText || !event.data || /[([{'"`]/.test(event.data)) return false;
    if (view.state.readOnly || view.state.selection.main.empty) return false;
    view.dispatch(view.state.replaceSelection(event.data), { userEvent: "input.type" });
    event.preventDefault();
    return true;
  },
});

/** Milliseconds without a key after which the text is looked at. */
const PAUSE = 400;

/** Parts of an editor's state that are kept beside text and selection. */
const FIELDS = { undone: historyField };

/** The state of each file's editor, with the steps that can be undone, while another is shown. */
const left = new Map<string, EditorState>();

/** Returns the problem of a text as a mark at its place. */
function marked(state: EditorState, problem: CodeProblem | undefined): Diagnostic[] {
  const { doc } = state;
  const at = problem?.line;
  if (at === undefined || at < 1 || at > doc.lines) return [];
  const line = doc.line(at);
  const from = Math.min(line.to, line.from + Math.max(0, (problem?.column ?? 1) - 1));
  const end = /^\w+/.exec(doc.sliceString(from, line.to))?.[0].length ?? 1;
  const to = Math.min(line.to, from + end);
  return [{ from, to, severity: "error", message: problem!.what }];
}

interface EditorProps {
  file: string;
  text: string;
  isReadOnly: boolean;
  /** True if the editor takes the focus. */
  isFresh: () => boolean;
  problem: CodeProblem | undefined;
  onChange: (text: string) => void;
  onRun: () => void;
}

/** An editor of one file, which begins with a text. Another file gets another editor. */
export function Editor(props: EditorProps) {
  const { file, text, isReadOnly, isFresh, problem, onChange, onRun } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | undefined>(undefined);
  const now = useRef({ onChange, onRun, problem });
  now.current = { onChange, onRun, problem };
  useEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: "open" });
    const language = new Compartment();
    const isTypeScript = /\.m?ts$/i.test(file);
    const extensions = [
      lineNumbers(),
      highlightSpecialChars(),
      highlightActiveLine(),
      highlightActiveLineGutter(),
      undoing(),
      drawSelection(),
      EditorView.lineWrapping,
      indentOnInput(),
      indentUnit.of("  "),
      bracketMatching(),
      closeBrackets(),
      autocompletion(),
      highlightSelectionMatches(),
      search({ top: true }),
      lintGutter(),
      linter(
        ({ state }) => [
          ...marked(state, now.current.problem),
          ...unknownMembers(state).map((each) => ({ ...each, severity: "warning" as const })),
        ],
        { delay: PAUSE },
      ),
      language.of(javascript({ typescript: isTypeScript })),
      (isTypeScript ? typescriptLanguage : javascriptLanguage).data.of({
        autocomplete: completeMembers,
      }),
      hover,
      replacing,
      syntaxHighlighting(colours),
      theme,
      EditorState.readOnly.of(isReadOnly),
      EditorView.editable.of(!isReadOnly),
      EditorView.contentAttributes.of({
        "aria-label": `Code of ${file}`,
        ...(isReadOnly ? { tabindex: "0" } : {}),
      }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) now.current.onChange(update.state.doc.toString());
      }),
      keymap.of([
        {
          key: "Mod-Enter",
          run: () => {
            now.current.onRun();
            return true;
          },
        },
        ...closeBracketsKeymap,
        ...completionKeymap,
        ...searchKeymap,
        ...historyKeymap,
        ...defaultKeymap,
        indentWithTab,
      ]),
    ];
    const before = isReadOnly ? undefined : left.get(file)?.toJSON(FIELDS);
    const state =
      before?.doc === text
        ? EditorState.fromJSON(before, { extensions }, FIELDS)
        : EditorState.create({ doc: text, extensions });
    const made = new EditorView({ root, parent: root, state });
    if (isFresh()) made.focus();
    view.current = made;
    return () => {
      left.set(file, made.state);
      made.destroy();
    };
  }, [file, isReadOnly]);
  useEffect(() => {
    if (view.current) forceLinting(view.current);
  }, [problem, file]);
  return <div class="own-editor" ref={host} />;
}
