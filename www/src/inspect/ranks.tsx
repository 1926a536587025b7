// The rank of a job while it waited: its priority by factor, and what each scheduler found.
import type { ComponentChildren } from "preact";
import type { JobName, RankFacts } from "schedscope";
import { count, figure } from "../format/words";
import { DataTable } from "../ui/table";
import { clock } from "./story";

interface Row {
  name: string;
  first: number | undefined;
  last: number | undefined;
}

/** Returns a row for each part of the priority, the largest first, and one for the priority. */
function rowsOf(ranks: RankFacts[]): Row[] {
  const [first, last] = [ranks[0], ranks.at(-1)];
  if (!first || !last) return [];
  const names = new Set(ranks.flatMap(({ parts }) => parts.map(({ name }) => name)));
  const of = (rank: RankFacts, name: string) =>
    rank.parts.find((part) => part.name === name)?.value ?? 0;
  const parts = [...names]
    .map((name) => ({ name, first: of(first, name), last: of(last, name) }))
    .sort((one, other) => other.last - one.last);
  return [...parts, { name: "priority", first: first.priority, last: last.priority }];
}

/** The first and the last rank of a job. */
export function Ranks({
  ranks,
  link,
}: {
  ranks: RankFacts[];
  link: (job: JobName) => ComponentChildren;
}) {
  const [first, last] = [ranks[0], ranks.at(-1)];
  if (!first || !last) return null;
  const rows = rowsOf(ranks);
  return (
    <>
      <p>
        Its place in the queue was {count(first.place)} of {count(first.waiting)} at{" "}
        {clock(first.at)}
        {last !== first && (
          <>
            , and {count(last.place)} of {count(last.waiting)} at {clock(last.at)}
          </>
        )}
        .
      </p>
      {rows.length > 1 && (
        <DataTable
          label="Priority by factor"
          rows={rows}
          columns={[
            { name: "Factor x weight", isHead: true, value: ({ name }) => name },
            {
              name: `At ${clock(first.at)}`,
              value: (row) => row.first,
              show: (row) => figure(row.first ?? 0),
            },
            ...(last === first
              ? []
              : [
                  {
                    name: `At ${clock(last.at)}`,
                    value: (row: Row) => row.last,
                    show: (row: Row) => figure(row.last ?? 0),
                  },
                ]),
          ]}
        />
      )}
      {last.looks.length > 0 && (
        <ul class="looks">
          {last.looks.map((look) => (
            <li key={look.scheduler}>
              Last pass of the {look.scheduler} scheduler, at {clock(look.at)}: the job {look.found}
              {look.by && <> ({link(look.by)})</>}
              {look.planned != null && <>, for {clock(look.planned)}</>}.
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
