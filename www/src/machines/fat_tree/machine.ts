// The fat tree.
import type { MachineView } from "../../lab";

export const fatTree: MachineView = {
  processors: (setting) => setting("ports") ** 3 / 4,
  pictures: () => import("./picture"),
  rows: "hosts are rows, switch by switch and pod by pod",
};
