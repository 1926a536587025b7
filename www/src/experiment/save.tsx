// Saves the open trace in another format.

import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import type { TraceFileKind } from "../engine/protocol";
import { saveTrace } from "../lab/files";

const KINDS: [TraceFileKind, string][] = [
  ["swf", "SWF, 18 fields"],
  ["swf-extended", "SWF with further fields"],
  ["csv", "CSV"],
];

export function SaveTrace() {
  const id = useId();
  const kind = useSignal<TraceFileKind>("swf");
  const isAnonymous = useSignal(false);
  const leftOut = useSignal<string[]>([]);
  const save = async () => {
    leftOut.value = await saveTrace(kind.value, isAnonymous.value);
  };
  return (
    <details class="saving">
      <summary>Save the trace as…</summary>
      <div class="field">
        <label for={id}>Format</label>
        <select
          id={id}
          value={kind.value}
          onChange={(event) => {
            kind.value = event.currentTarget.value as TraceFileKind;
            leftOut.value = [];
          }}
        >
          {KINDS.map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <p>
        <label>
          <input
            type="checkbox"
            checked={isAnonymous.value}
            onChange={(event) => (isAnonymous.value = event.currentTarget.checked)}
          />{" "}
          Anonymise: names become numbers, times count from 0
        </label>
      </p>
      <div class="buttons">
        <button type="button" onClick={() => void save()}>
          Save the file
        </button>
      </div>
      {leftOut.value.length > 0 && (
        <ul>
          {leftOut.value.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
    </details>
  );
}
