// Selects a job in all runs.
import { ask } from "../engine/workers";
import * as s from "../state";

/**
 * Selects a job in all runs by its record in the trace. Its index differs between runs that leave
 * out different jobs.
 */
export async function select(record: number | undefined): Promise<void> {
  s.markSelected(record);
  if (record === undefined) {
    s.knowSelected(new Map());
    return;
  }
  const answers = await Promise.all(
    s.lanes.value.map(
      async (lane) =>
        [
          lane.id,
          lane.facts && lane.hand
            ? await ask(lane.hand, (engine) => engine.job(record)).catch(() => null)
            : null,
        ] as const,
    ),
  );
  if (s.selected.value === record) s.knowSelected(new Map(answers));
}
