// A cluster of nodes.
import type { MachineView } from "../../lab";

export const nodes: MachineView = {
  // The description of the cluster, or the trace, has the number of cores.
  processors: () => undefined,
  pictures: () => import("./picture"),
  rows: "cores or GPUs are rows, node by node",
  rowNames: async (engine, rows) => (await import("./names")).rowNames(engine, rows),
};
