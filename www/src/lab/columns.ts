// Asks which column of a table holds what, and remembers the answer for tables with this header.
import type { GivenZone, Mapping, RoleColumn, TableColumn, TableFacts } from "schedscope";
import { ask, type Hand, Stopped } from "../engine/workers";
import { asProblem } from "../format/problem";
import * as s from "../state";
import { rememberColumns, rememberedColumns } from "../storage/columns";

/** The columns of a file, as a source has them. */
interface Chosen {
  columns?: string;
  areRemembered?: boolean;
}

/** Asks the worker that can read the table of the open dialog. */
type Look = (mapping: Mapping) => Promise<TableFacts | null>;

let look: Look | undefined;
let answer: ((columns: string | undefined) => void) | undefined;

/** A mapping that the reader chose, and whether the dialog has shown the table by it. */
interface Wish {
  mapping: Mapping;
  isShown: Promise<boolean>;
}

/** The latest wish, until the worker has answered it. Answers to an earlier one are dropped. */
let wish: Wish | undefined;

/** Shows the dialog. Returns the mapping that the reader accepts; undefined if there is none. */
export function askReaderForColumns(
  question: s.ColumnsQuestion,
  again: Look,
): Promise<string | undefined> {
  answer?.(undefined);
  look = again;
  s.askColumns(question);
  return new Promise((resolve) => (answer = resolve));
}

/**
 * Returns the columns with which to read a file: none if it is not a table, those that are
 * remembered for its header, or those that the reader accepts. Undefined if the reader accepts
 * none. `zone` is a mapping that only gives the zone that the dialog begins with.
 */
export async function columnsOf(
  hand: Hand,
  file: File,
  zone: string | undefined,
): Promise<Chosen | undefined> {
  // The first engine reads no tables.
  const table = hand.isWhole && (await ask(hand, (engine) => engine.table(file, zone)));
  if (!table) return {};
  const known = rememberedColumns(table.header);
  if (known !== undefined) {
    // A mapping of another version of the page may no longer be understood.
    const found = await ask(hand, (engine) => engine.table(file, known)).catch(() => null);
    if (found && !found.problem) {
      rememberColumns(table.header, known);
      return { columns: known, areRemembered: true };
    }
  }
  const again: Look = (mapping) =>
    ask(hand, (engine) => engine.table(file, JSON.stringify(mapping)));
  const columns = await askReaderForColumns({ name: file.name, table, isOpen: false }, again);
  return columns === undefined ? undefined : { columns };
}

/** Returns a mapping in which a column holds another fact, or none. */
function moved(
  { columns = [], zone }: Mapping,
  { reference, role }: TableColumn,
  to: string,
): Mapping {
  // The mapping may have a later use of the column than the dialog shows.
  const others = columns.filter(
    (entry) => entry.column !== reference && entry.role !== role && entry.role !== to,
  );
  const left: RoleColumn[] = role && role !== to ? [{ role }] : [];
  const taken = to ? [{ role: to, column: reference } as RoleColumn] : [];
  return { columns: [...others, ...left, ...taken], ...(zone === undefined ? {} : { zone }) };
}

/** Returns the mapping that the reader sees, or has chosen since. */
const present = (): Mapping | undefined => wish?.mapping ?? s.columns.value?.table.mapping;

async function change(mapping: Mapping): Promise<void> {
  const question = s.columns.value;
  if (!question || !look) return;
  const asked = look(mapping);
  const own: Wish = { mapping, isShown: shown() };
  wish = own;
  await own.isShown;

  async function shown(): Promise<boolean> {
    try {
      const table = await asked;
      if (!table || own !== wish) return false;
      s.askColumns({ ...question!, table });
      return true;
    } catch (error) {
      if (!(error instanceof Stopped)) s.tell(asProblem(error));
      return false;
    } finally {
      if (own === wish) wish = undefined;
    }
  }
}

/** Says that a column holds another fact; none if the role is empty. */
export const setRole = (column: TableColumn, role: string): Promise<void> => {
  const mapping = present();
  return mapping ? change(moved(mapping, column, role)) : Promise.resolve();
};

/** Says that the values of a role have another unit. */
export function setUnit(role: string, unit: string): Promise<void> {
  const mapping = present();
  if (!mapping) return Promise.resolve();
  const columns = (mapping.columns ?? []).map((entry) =>
    entry.role === role ? ({ ...entry, unit } as RoleColumn) : entry,
  );
  return change({ ...mapping, columns });
}

/** Says in which zone the times are that tell none. */
export const setZone = (zone: GivenZone): Promise<void> => {
  const mapping = present();
  return mapping ? change({ ...mapping, zone }) : Promise.resolve();
};

/** Accepts the columns of the dialog, and remembers them: those that the reader chose last. */
export async function acceptColumns(): Promise<void> {
  while (wish) {
    const isShown = await wish.isShown;
    // It failed, and the reader was told; or the dialog was closed.
    if (!isShown && !wish) return;
  }
  const question = s.columns.value;
  if (!question || question.table.problem) return;
  rememberColumns(question.table.header, question.table.text);
  settle(question.table.text);
}

/** Closes the dialog without an answer. */
export function dropColumns(): void {
  settle(undefined);
}

function settle(columns: string | undefined): void {
  const done = answer;
  answer = undefined;
  look = undefined;
  wish = undefined;
  s.dropColumns();
  done?.(columns);
}
