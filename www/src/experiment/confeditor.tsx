// A dialog in which the reader edits the slurm.conf of a run. Changes from another text are marked line by
// line; keywords are completed, and those that change nothing are marked.
import { autocompletion, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, historyKeymap, history as undoing } from "@codemirror/commands";
import { linter, lintGutter } from "@codemirror/lint";
import { unifiedMergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { SlurmKeyword, SlurmOption } from "schedscope";
import { replacing, theme } from "../ui/code";
import { completing, marksOf } from "./confwords";

/** Milliseconds without a key after which the keywords are looked up. */
const PAUSE = 400;

const changed = EditorView.theme({
  ".cm-changedLine, .cm-insertedLine": {
    backgroundColor: "color-mix(in srgb, var(--ok) 14%, transparent)",
  },
  ".cm-changedText": { background: "color-mix(in srgb, var(--ok) 28%, transparent)" },
  ".cm-deletedChunk": {
    color: "var(--ink-2)",
    backgroundColor: "color-mix(in srgb, var(--bad) 12%, transparent)",
  },
  ".cm-deletedChunk .cm-deletedText, .cm-deletedText": {
    background: "color-mix(in srgb, var(--bad) 24%, transparent)",
  },
  ".cm-changeGutter": { width: "4px", paddingLeft: "2px" },
  ".cm-changedLineGutter": { background: "var(--ok)" },
  ".cm-deletedLineGutter": { background: "var(--bad)" },
});

export interface ConfEditorProps {
  /** The run, such as "run B". */
  name: string;
  /** The text from which changes are marked, with its name; the text at the begin by default. */
  original: { text: string; name: string } | undefined;
  text: string;
  options: readonly SlurmOption[];
  keywords: (text: string) => Promise<SlurmKeyword[]>;
  onApply: (text: string) => void;
  onClose: () => void;
}

export default function ConfEditor(props: ConfEditorProps) {
  const { name, original, text, options, keywords, onApply, onClose } = props;
  const isWarned = useSignal(false);
  const dialog = useRef<HTMLDialogElement>(null);
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | undefined>(undefined);
  useEffect(() => {
    dialog.current?.showModal();
    const root = host.current!.attachShadow({ mode: "open" });
    const extensions = [
      lineNumbers(),
      undoing(),
      EditorView.lineWrapping,
      autocompletion({
        override: [completing(options)],
        icons: false,
        // The words of a value follow its keyword.
        activateOnCompletion: ({ apply }) => typeof apply === "string" && apply.endsWith("="),
      }),
      lintGutter(),
      linter(async ({ state }) => marksOf(state.doc, await keywords(state.doc.toString())), {
        delay: PAUSE,
      }),
      unifiedMergeView({
        original: original?.text ?? text,
        mergeControls: false,
        highlightChanges: true,
      }),
      replacing,
      theme,
      changed,
      EditorView.contentAttributes.of({
        "aria-label": `slurm.conf of ${name}`,
        spellcheck: "false",
      }),
      keymap.of([...completionKeymap, ...historyKeymap, ...defaultKeymap]),
    ];
    const state = EditorState.create({ doc: text, extensions });
    const made = new EditorView({ root, parent: root, state });
    made.focus();
    view.current = made;
    return () => made.destroy();
  }, []);
  return (
    <dialog
      ref={dialog}
      class="conf-dialog"
      aria-labelledby="conf-title"
      onCancel={(event) => {
        event.preventDefault();
        const isChanged = view.current?.state.doc.toString() !== text;
        if (isChanged && !isWarned.value) isWarned.value = true;
        else onClose();
      }}
    >
      <h2 id="conf-title">slurm.conf of {name}</h2>
      <p class="quiet">
        {original
          ? `Lines that differ from ${original.name} are marked, with the old ones above them.`
          : "Lines that you change are marked, with the old ones above them."}{" "}
        Names and their values complete as you type; Ctrl-Space lists all that are modelled.
      </p>
      <div class="conf-editor" ref={host} />
      {isWarned.value && (
        <p class="notice" role="alert">
          Your changes are not applied. Press Escape again to drop them.
        </p>
      )}
      <div class="buttons">
        <button
          type="button"
          class="primary"
          onClick={() => onApply(view.current?.state.doc.toString() ?? text)}
        >
          Apply
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </dialog>
  );
}
