// The form for kinds of nodes and for partitions. It edits the lines of the description.
import { useSignal } from "@preact/signals";
import { useId, useRef } from "preact/hooks";
import { useDraft } from "../ui/draft";
import {
  freeName,
  hasDefaults,
  KEYS,
  type Part,
  partsOf,
  type Row,
  textOf,
  withRow,
} from "./nodelines";

interface Entry {
  key: string;
  label: string;
  hint?: string;
  wide?: boolean;
  /** Returns what the field shows of a word; `word` returns the word for what it shows. */
  show?: (word: string) => string;
  word?: (shown: string) => string;
}

const GIGABYTE = 1024;

const NODES: Entry[] = [
  { key: "NodeName", label: "Names", wide: true },
  { key: "CPUs", label: "Cores", hint: "1" },
  {
    key: "RealMemory",
    label: "Memory, GB",
    hint: "no limit",
    show: (word) =>
      Number(word) > 0 ? String(Number((Number(word) / GIGABYTE).toPrecision(4))) : word,
    word: (shown) =>
      Number(shown) > 0 ? String(Math.round(Number(shown) * GIGABYTE)) : shown.trim(),
  },
  {
    key: "Gres",
    label: "GPUs",
    hint: "0",
    show: (word) => word.replace(/^gpu:(\d+)$/, "$1"),
    word: (shown) => (Number(shown) > 0 ? `gpu:${shown.trim()}` : shown.trim().replace(/^0$/, "")),
  },
  { key: "Weight", label: "Weight", hint: "1" },
  { key: "Feature", label: "Features", wide: true },
];

const PARTITION: Entry[] = [
  { key: "PartitionName", label: "Name" },
  { key: "Nodes", label: "Nodes", hint: "ALL", wide: true },
  { key: "MaxTime", label: "Longest time", hint: "no limit" },
  { key: "PriorityTier", label: "Tier", hint: "1" },
];

function Field({
  of,
  row,
  hint,
  put,
}: {
  of: Entry;
  row: Row;
  hint: string | undefined;
  put: (word: string) => void;
}) {
  const id = useId();
  const word = row.values[of.key] ?? "";
  const draft = useDraft(of.show ? of.show(word) : word, (text) => {
    // A word of the description has no spaces, comments or further statements.
    const next = (of.word ? of.word(text) : text).replace(/[\s#;\\"]+/g, "");
    // A line without its name would be lost.
    const isName = of.key === "NodeName" || of.key === "PartitionName";
    put(isName && (next === "" || next.toLowerCase() === "default") ? word : next);
  });
  return (
    <div class={of.wide ? "wide" : ""}>
      <label for={id}>{of.label}</label>
      <input
        id={id}
        type="text"
        autocomplete="off"
        spellcheck={false}
        placeholder={hint}
        data-key={of.key}
        {...draft}
      />
    </div>
  );
}

function Check({
  label,
  isOn,
  put,
}: {
  label: string;
  isOn: boolean;
  put: (isOn: boolean) => void;
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={isOn}
        onChange={(event) => put(event.currentTarget.checked)}
      />
      {label}
    </label>
  );
}

export function Kinds({ text, onText }: { text: string; onText: (text: string) => void }) {
  const list = useRef<HTMLDivElement>(null);
  const isOpen = useSignal(false);
  const parts = partsOf(text);
  const change = (next: Part[]) => onText(textOf(next));
  const others = parts.filter(({ is, ...part }) => is === "other" && "text" in part && part.text);
  const hint = (of: Entry, row: Row) => {
    if (of.key === "CPUs" && /(sockets|boards|corespersocket)/i.test(row.rest)) return "see below";
    return hasDefaults(parts, row.is) ? "default" : of.hint;
  };
  const rows = (is: Row["is"]) =>
    parts.flatMap((part, at) => (part.is === is ? [{ row: part, at }] : []));
  const set = (at: number, row: Row, values: Record<string, string>) =>
    change(parts.with(at, { ...row, values: { ...row.values, ...values } }));
  const add = (is: Row["is"]) => {
    const row: Row = { is, values: { [KEYS[is][0]]: freeName(parts, is) }, rest: "" };
    if (is === "nodes") row.values.CPUs = "32";
    change(withRow(parts, row));
    requestAnimationFrame(() => {
      const names = list.current?.querySelectorAll<HTMLElement>(`[data-key="${KEYS[is][0]}"]`);
      [...(names ?? [])].at(-1)?.focus();
    });
  };
  const remove = (at: number, is: Row["is"]) => {
    change(parts.toSpliced(at, 1));
    requestAnimationFrame(() =>
      list.current?.querySelector<HTMLElement>(`button[data-add="${is}"]`)?.focus(),
    );
  };
  return (
    <details
      class="kinds"
      open={isOpen.value}
      onToggle={(event) => (isOpen.value = event.currentTarget.open)}
    >
      <summary>Kinds of nodes and partitions</summary>
      {isOpen.value && (
        <div ref={list}>
          {rows("nodes").map(({ row, at }) => (
            <fieldset key={`${at}`} class="kind">
              <legend>{row.values.NodeName}</legend>
              {NODES.map((entry) => (
                <Field
                  key={entry.key}
                  of={entry}
                  row={row}
                  hint={hint(entry, row)}
                  put={(word) => set(at, row, { [entry.key]: word })}
                />
              ))}
              {row.rest && <p class="quiet wide">Also: {row.rest}</p>}
              <button
                type="button"
                aria-label={`Remove the nodes ${row.values.NodeName}`}
                onClick={() => remove(at, "nodes")}
              >
                Remove
              </button>
            </fieldset>
          ))}
          <button type="button" data-add="nodes" onClick={() => add("nodes")}>
            + Kind of nodes
          </button>
          {rows("partition").map(({ row, at }) => (
            <fieldset key={`${at}`} class="kind">
              <legend>Partition {row.values.PartitionName}</legend>
              {PARTITION.map((entry) => (
                <Field
                  key={entry.key}
                  of={entry}
                  row={row}
                  hint={hint(entry, row)}
                  put={(word) => set(at, row, { [entry.key]: word })}
                />
              ))}
              <Check
                label="For jobs that name none"
                isOn={row.values.Default?.toLowerCase() === "yes"}
                put={(isOn) => set(at, row, { Default: isOn ? "YES" : "" })}
              />
              <Check
                label="Whole nodes"
                isOn={row.values.OverSubscribe?.toLowerCase() === "exclusive"}
                put={(isOn) => set(at, row, { OverSubscribe: isOn ? "EXCLUSIVE" : "" })}
              />
              {row.rest && <p class="quiet wide">Also: {row.rest}</p>}
              <button
                type="button"
                aria-label={`Remove the partition ${row.values.PartitionName}`}
                onClick={() => remove(at, "partition")}
              >
                Remove
              </button>
            </fieldset>
          ))}
          <button
            type="button"
            data-add="partition"
            disabled={rows("nodes").length === 0}
            onClick={() => add("partition")}
          >
            + Partition
          </button>
          {others.length > 0 && (
            <p class="quiet">
              {others.length === 1 ? "One line is" : `${others.length} lines are`} only in the text
              below.
            </p>
          )}
        </div>
      )}
    </details>
  );
}
