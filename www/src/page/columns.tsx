// The dialog in which the reader checks which column of a table holds what.
import { useEffect, useRef } from "preact/hooks";
import type { GivenZone, TableColumn, TableFacts } from "schedscope";
import { count } from "../format/words";
import * as lab from "../lab";
import * as s from "../state";

/** The zone in which this browser is. */
const OWN = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Zones that the dialog offers: this browser's, and offsets from UTC in minutes to the east. */
const ZONES: GivenZone[] = [OWN, ...Array.from({ length: 27 }, (_, at) => 60 * (at - 12))];

function zoneName(minutes: GivenZone): string {
  if (typeof minutes === "string") return minutes === OWN ? `${OWN} (this browser)` : minutes;
  const two = (value: number) => String(value).padStart(2, "0");
  const size = Math.abs(minutes);
  return minutes === 0
    ? "UTC"
    : `UTC${minutes < 0 ? "−" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

export function ColumnsDialog() {
  const question = s.columns.value;
  const dialog = useRef<HTMLDialogElement>(null);
  const isShown = question !== undefined;
  useEffect(() => {
    if (isShown && !dialog.current?.open) dialog.current?.showModal();
  }, [isShown]);
  if (!question) return null;
  const { name, table, isOpen } = question;
  const used = table.columns.filter((column) => column.role).length;
  return (
    <dialog
      ref={dialog}
      class="columns"
      aria-labelledby="columns-title"
      onCancel={(event) => {
        event.preventDefault();
        lab.dropColumns();
      }}
    >
      <form
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault();
          void lab.acceptColumns();
        }}
      >
        <h2 id="columns-title">Columns of {name}</h2>
        <p>
          Check which column holds what: {count(used)} of {count(table.columns.length)} columns are
          used. The page remembers your choice for tables with this header.
        </p>
        <p role="status" class={table.problem ? "problem" : "quiet"}>
          {table.problem
            ? `${table.problem.what} ${table.problem.why}`
            : "These columns tell a job."}
        </p>
        {table.is_local && <Zone zone={table.mapping.zone ?? 0} />}
        <Rows table={table} />
        <div class="buttons">
          <button type="submit" class="primary" disabled={table.problem !== undefined}>
            {isOpen ? "Read again" : "Open table"}
          </button>
          <button type="button" onClick={lab.dropColumns}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  );
}

function Zone({ zone }: { zone: GivenZone }) {
  const zones = [...new Set([...ZONES, zone])];
  return (
    <div class="field">
      <label for="columns-zone">Zone of times without one</label>
      <select
        id="columns-zone"
        value={String(zone)}
        onChange={({ currentTarget: { value } }) =>
          void lab.setZone(/^-?\d+$/.test(value) ? Number(value) : value)
        }
      >
        {zones.map((each) => (
          <option key={String(each)} value={String(each)}>
            {zoneName(each)}
          </option>
        ))}
      </select>
    </div>
  );
}

function Rows({ table }: { table: TableFacts }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Columns and first rows">
      <table>
        <thead>
          <tr>
            {table.columns.map((column) => (
              <th key={column.reference} scope="col">
                {column.name || column.reference}
              </th>
            ))}
          </tr>
          <tr>
            {table.columns.map((column) => (
              <td key={column.reference}>
                <Choice table={table} column={column} />
              </td>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The role and the unit of a column. */
function Choice({ table, column }: { table: TableFacts; column: TableColumn }) {
  const name = column.name || column.reference;
  const role = table.roles.find((known) => known.role === column.role);
  return (
    <>
      <select
        aria-label={`Use of column ${name}`}
        value={column.role ?? ""}
        onChange={(event) => void lab.setRole(column, event.currentTarget.value)}
      >
        <option value="">Keep beside</option>
        {table.roles.map((known) => (
          <option key={known.role} value={known.role}>
            {known.name}
          </option>
        ))}
      </select>
      {role && role.units.length > 1 && (
        <select
          aria-label={`Unit of column ${name}`}
          value={column.unit ?? ""}
          onChange={(event) => void lab.setUnit(role.role, event.currentTarget.value)}
        >
          {role.units.map((unit) => (
            <option key={unit.unit} value={unit.unit}>
              {unit.name}
            </option>
          ))}
        </select>
      )}
      <small>{column.note}</small>
    </>
  );
}
