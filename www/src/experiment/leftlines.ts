// Lines of a dropped slurm.conf that no setting holds, because they have no effect here.
import { signal } from "@preact/signals";
import type { SlurmKeyword } from "schedscope";
import { askReader } from "../lab";

/** The words of a file that are in no setting. */
interface LeftLines {
  file: string;
  words: SlurmKeyword[];
}

/** By the run that the file has made. A link holds the settings alone. */
const known = signal<ReadonlyMap<number, LeftLines>>(new Map());

export const leftOf = (id: number): LeftLines | undefined => known.value.get(id);

/** Notes what of a slurm.conf is not in the settings that it gave. */
export async function noteLeft(
  [file, text]: [string, string],
  kept: string,
  runs: readonly number[],
): Promise<void> {
  if (runs.length === 0) return;
  const [all, held] = await Promise.all(
    [text, kept].map((each) => askReader((engine) => engine.slurmKeywords(each, ""))),
  );
  const name = ({ keyword, value }: SlurmKeyword) => `${keyword}=${value}`;
  const counts = new Map<string, number>();
  for (const word of held!) counts.set(name(word), (counts.get(name(word)) ?? 0) + 1);
  const words = all!.filter((word) => {
    const count = counts.get(name(word)) ?? 0;
    counts.set(name(word), count - 1);
    return count <= 0;
  });
  known.value = new Map([...known.value, ...runs.map((id) => [id, { file, words }] as const)]);
}
