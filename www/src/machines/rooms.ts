// The machine models that have something of their own on the page.
import { fatTree } from "./fat_tree/room";
import type { Room } from "./room";
import { torus } from "./torus/room";

export const ROOMS: Readonly<Record<string, Room>> = { torus, fat_tree: fatTree };
