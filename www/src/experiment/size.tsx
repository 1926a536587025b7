// The machine's size, if it is a guess. The note stands beside every result until the reader
// confirms the size or gives another one.

import { count, counted } from "../format/words";
import * as lab from "../lab";
import { doubted, inWords } from "../runs/size";
import * as s from "../state";
import { useDraft } from "../ui/draft";

/** Sets the machine's size for all runs, and starts them again. */
async function settle(processors: number | string, inNodes = false): Promise<void> {
  const sizes = inNodes ? { sizes: "nodes" } : {};
  await lab.setShared({ ...s.shared.value, ...sizes, processors });
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
      {size.contradicts && (
        <p>The log contradicts this size, so no sentence sums up the result until you choose.</p>
      )}
      {size.proposals?.map(({ text }) => (
        <p key={text}>{text}</p>
      ))}
      <div class="buttons">
        {size.proposals?.map(({ processors, in_nodes: inNodes }) => (
          <button
            type="button"
            class="primary"
            key={`${processors} ${inNodes}`}
            onClick={() => void settle(processors, inNodes)}
          >
            {inNodes
              ? `Count nodes: ${count(processors)}`
              : `Use ${counted(processors, "processor")}`}
          </button>
        ))}
        <button type="button" onClick={() => void settle(size.processors)}>
          Keep {counted(size.processors, "processor")}
        </button>
        <label class="inline">
          Use another size{" "}
          <input type="text" inputMode="numeric" autocomplete="off" size={8} {...draft} />
        </label>
      </div>
    </section>
  );
}
