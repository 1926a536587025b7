// The result in one sentence.
import { comparison } from "../runs/sentence";
import { doubted } from "../runs/size";

/** One plain sentence that compares the last finished run with the first. */
export function Sentence() {
  const parts = comparison();
  if (doubted.value)
    return (
      <p class="sentence quiet">
        The result will appear here in one sentence after you confirm the machine's size.
      </p>
    );
  if (parts.length === 0)
    return <p class="sentence quiet">The result will appear here in one sentence.</p>;
  return (
    <p class="sentence">
      {parts.map((part) => (typeof part === "string" ? part : <b>{part.name}</b>))}
    </p>
  );
}
