// EASY backfilling in AssemblyScript: the head of the queue holds a reservation, and later jobs may start early if they do not
// delay it.
import { definition, job_at, next_admitted, NONE, reserve, start, start_heads } from "./schedscope";

export function describe(): usize {
  return definition('{"id": "as-easy", "name": "EASY in AssemblyScript"}');
}

export function decide(): void {
  const head = start_heads();
  if (head == NONE) return;
  reserve(head);
  let position = next_admitted(0);
  while (position != NONE) {
    start(job_at(position));
    position = next_admitted(position + 1);
  }
}
