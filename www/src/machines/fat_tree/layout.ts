// Places pods, switches and hosts of a fat tree in a picture. A switch is a column of hosts. Pods
// stand side by side, in as many lines as they need.
interface Layout {
  /** Number of hosts of a switch, and of switches of a pod. */
  half: number;
  /** Width and height of a host, in CSS pixels. */
  cell: number;
  podsInLine: number;
  podWidth: number;
  podHeight: number;
  width: number;
  height: number;
}

const GAP = 10;

const HEAD = 18;

const [SMALLEST, LARGEST] = [3, 24];

/** Returns the layout of a tree with this many hosts in a given width. */
export function layoutOf(hosts: number, room: number): Layout {
  const ports = Math.max(2, Math.round(Math.cbrt(4 * hosts)));
  const half = ports / 2;
  const cellFor = (pods: number) => Math.floor((room - GAP) / pods / half - (GAP + 2) / half);
  // Takes the fewest lines that leave a host large enough for a pointer.
  let podsInLine = ports;
  while (podsInLine > 1 && cellFor(podsInLine) < 8) podsInLine = Math.ceil(podsInLine / 2);
  const cell = Math.min(LARGEST, Math.max(SMALLEST, cellFor(podsInLine)));
  const [podWidth, podHeight] = [half * cell + 2, half * cell + HEAD];
  const lines = Math.ceil(ports / podsInLine);
  return {
    half,
    cell,
    podsInLine,
    podWidth,
    podHeight,
    width: GAP + podsInLine * (podWidth + GAP),
    height: lines * (podHeight + GAP),
  };
}

export const podAt = (layout: Layout, pod: number): { left: number; top: number } => ({
  left: GAP + (pod % layout.podsInLine) * (layout.podWidth + GAP),
  top: Math.floor(pod / layout.podsInLine) * (layout.podHeight + GAP),
});

/** Returns the upper left corner of a host. */
export function hostAt(layout: Layout, host: number): { left: number; top: number } {
  const { half, cell } = layout;
  const [pod, inPod] = [Math.floor(host / (half * half)), host % (half * half)];
  const { left, top } = podAt(layout, pod);
  return {
    left: left + 1 + Math.floor(inPod / half) * cell,
    top: top + HEAD + (inPod % half) * cell,
  };
}

/** Returns the host at a point. */
export function hostUnder(layout: Layout, x: number, y: number, hosts: number): number | undefined {
  const { half, cell, podsInLine, podWidth, podHeight } = layout;
  const [column, line] = [
    Math.floor((x - GAP) / (podWidth + GAP)),
    Math.floor(y / (podHeight + GAP)),
  ];
  const pod = line * podsInLine + column;
  const { left, top } = podAt(layout, pod);
  const [switchInPod, inSwitch] = [
    Math.floor((x - left - 1) / cell),
    Math.floor((y - top - HEAD) / cell),
  ];
  const isThere =
    column >= 0 &&
    column < podsInLine &&
    line >= 0 &&
    switchInPod >= 0 &&
    switchInPod < half &&
    inSwitch >= 0 &&
    inSwitch < half;
  const host = pod * half * half + switchInPod * half + inSwitch;
  return isThere && host < hosts ? host : undefined;
}
