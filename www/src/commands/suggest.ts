// The meanings that a text in the search field can have.
import { filterBy } from "../explore/filter";
import { selectNumber } from "../lab";
import * as s from "../state";
import { type Command, commands } from "./commands";
import { completions } from "./complete";

async function findJob(number: number): Promise<void> {
  const lane = s.lanes.value.find((lane) => lane.facts && lane.hand);
  const job = lane?.hand ? await selectNumber(lane.hand, number) : null;
  if (job === undefined) return;
  s.say(job ? `Selected job ${number}.` : `Job ${number} is not in these runs.`);
}

/** Returns the possible meanings of a text, the likeliest first. */
export function suggestions(
  text: string,
  open: () => void,
  write: (text: string) => void,
): Command[] {
  const trimmed = text.trim();
  const found: Command[] = [];
  if (/^\d+$/.test(trimmed)) {
    found.push({ name: `Select job ${trimmed}`, run: () => void findJob(Number(trimmed)) });
    found.push({
      name: `Dim all but jobs of user ${trimmed}`,
      run: () => filterBy(`user:${trimmed}`),
    });
  } else if (/[:=<>~]/.test(trimmed))
    found.push({ name: `Dim all but ${trimmed}`, run: () => filterBy(trimmed) });
  const words = trimmed.toLowerCase().split(/\s+/);
  const matching = commands(open).filter(
    ({ name, isOff }) => !isOff && words.every((word) => name.toLowerCase().includes(word)),
  );
  const completed = completions(text, write);
  // A text with an operator is a filter rather than the name of a command.
  return found.length > 0 ? [...found, ...completed, ...matching] : [...matching, ...completed];
}
