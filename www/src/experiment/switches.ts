// The switches of topology.conf in the description of a cluster.

const isOf = (keyword: string) => new RegExp(`^[ \\t]*${keyword}[ \\t]*=`, "i");
const [SWITCH, NODE] = [isOf("switchname"), isOf("nodename")];

const linesOf = (text: string): string[] => text.replace(/\\\r?\n/g, " ").split(/\r?\n/);

/** True for a text that has switches and no nodes: a topology.conf. */
export function hasSwitchesOnly(text: string): boolean {
  const lines = linesOf(text);
  return lines.some((line) => SWITCH.test(line)) && !lines.some((line) => NODE.test(line));
}

/** Returns a description of a cluster with the switches of a topology.conf in place of its own. */
export function withSwitches(cluster: string, topology: string): string {
  const switches = linesOf(topology).filter((line) => SWITCH.test(line));
  const rest = cluster.split("\n").filter((line) => !SWITCH.test(line));
  return [...rest, ...switches.map((line) => line.trim())].join("\n");
}
