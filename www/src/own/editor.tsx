// The text editor of an own policy.
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
import { useEffect, useRef } from "preact/hooks";
import type { CodeProblem } from "../state";
import { colours, replacing, theme } from "../ui/code";
import { completeMembers, hover, unknownMembers } from "./complete";

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
