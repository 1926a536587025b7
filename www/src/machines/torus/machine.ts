// The 3D torus of BlueGene/L.
import type { MachineView } from "../../lab";

export const torus: MachineView = {
  processors: (setting) => setting("x") * setting("y") * setting("z"),
  pictures: () => import("./picture"),
  rows: "node x + X (y + Y z) is a row",
};
