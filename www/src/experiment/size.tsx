// The machine's size, if it is a guess. The note stands beside every result until the reader
// confirms the size or gives another one.

import { count } from "../format/words";
import * as lab from "../lab";
import { doubted, inWords } from "../runs/size";
import * as s from "../state";
import { useDraft } from "../ui/draft";

/** Sets the machine's size for all runs, and starts them again. */
async function settle(processors: number | string): Promise<void> {
  await lab.setShared({ ...s.shared.value, processors });
  lab.runAll();
}

/** The note on a size that nobody has confirmed. */
export function SizeNote() {
  const size = doubted.value;
  const draft = useDraft(
    "",
    (text) =>
      text.trim() !== "" && void settle(Number.isFinite(Number(text)) ? Number(text) : text),
  );
  if (!size) return null;
  return (
    <section class="notice bad size-note" aria-label="Machine size">
      <p>
        <b>{inWords(size)}</b> Every figure depends on the size.
      </p>
      <div class="buttons">
        <button type="button" onClick={() => void settle(size.processors)}>
          Keep {count(size.processors)} processors
        </button>
        <label class="inline">
          Use another size{" "}
          <input type="text" inputMode="numeric" autocomplete="off" size={8} {...draft} />
        </label>
      </div>
    </section>
  );
}
