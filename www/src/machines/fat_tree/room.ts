// The fat tree.
import type { Room } from "../room";

export const fatTree: Room = {
  processors: (setting) => setting("ports") ** 3 / 4,
  pictures: () => import("./picture"),
  rows: "hosts are rows, switch by switch and pod by pod",
};
