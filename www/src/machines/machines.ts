// The machine models that have a view of their own on the page: a folder and a line for each.
import type { MachineView } from "../lab";
import { fatTree } from "./fat_tree/machine";
import { nodes } from "./nodes/machine";
import { torus } from "./torus/machine";

export const MACHINES: Readonly<Record<string, MachineView>> = { torus, fat_tree: fatTree, nodes };
