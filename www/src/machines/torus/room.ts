// The 3D torus of BlueGene/L.
import type { Room } from "../room";

export const torus: Room = {
  processors: (setting) => setting("x") * setting("y") * setting("z"),
  pictures: () => import("./picture"),
  rows: "node x + X (y + Y z) is a row",
};
