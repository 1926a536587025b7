// Tables that can be taken away: as CSV, Markdown or LaTeX, copied or saved.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { saveBlob } from "../files/save";
import { Cell, FORMATS, Format, Table } from "../files/table";

const number = /^[−-]?[\d,]+(\.\d+)?$/;

/** What a table on the page says; numbers without their commas. */
function read(title: string, table: HTMLTableElement): Table {
  const cells = (row: Element): Cell[] =>
    [...row.children].map((cell) => {
      const shown = (cell.textContent ?? "").trim();
      return number.test(shown)
        ? shown.replaceAll(",", "").replace("−", "-")
        : shown === "–"
          ? ""
          : shown;
    });
  const head = table.querySelector("thead tr:last-child");
  return {
    title,
    head: head ? cells(head).map(String) : [],
    rows: [...table.querySelectorAll("tbody tr")].map(cells),
  };
}

/** A table that may be wider than its place, with what takes it away below it. */
export function Scroll({ label, children }: { label: string; children: ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null);
  return (
    <div class="tabled">
      <div ref={box} class="scroll" tabIndex={0} role="region" aria-label={label}>
        {children}
      </div>
      <TableTools of={() => read(label, box.current!.querySelector("table")!)} />
    </div>
  );
}

/** Buttons that copy a table; with Shift, or where the browser allows no copying, it is saved as a file. */
export function TableTools({ of }: { of: () => Table }) {
  const said = useSignal("");
  const take = async (format: Format, isFile: boolean) => {
    const table = of();
    const { write, ending, media } = FORMATS[format];
    try {
      if (isFile) throw new Error("a file is wanted");
      await navigator.clipboard.writeText(write(table));
      said.value = `Copied as ${format}.`;
    } catch {
      saveBlob(
        new Blob([`${write(table)}\n`], { type: media }),
        `${table.title.replace(/[^\w.-]+/g, "-").toLowerCase()}.${ending}`,
      );
      said.value = `Saved as ${format}.`;
    }
  };
  return (
    <span class="table-tools">
      {(Object.keys(FORMATS) as Format[]).map((format) => (
        <button
          type="button"
          class="small"
          key={format}
          title={`Copy as ${format}; with Shift, save as a file`}
          onClick={(event) => void take(format, event.shiftKey)}
        >
          Copy {format}
        </button>
      ))}
      <span class="quiet" role="status">
        {said.value}
      </span>
    </span>
  );
}
