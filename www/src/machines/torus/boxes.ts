// Nodes and boxes of a torus by their coordinates, for both pictures of the machine.
import type { BoxFacts, GeometryFacts, OccupancyFacts, ResidentFacts } from "schedscope";

export type Triple = readonly [number, number, number];

export const nodes = (geometry: GeometryFacts): number =>
  geometry.extent[0]! * geometry.extent[1]! * geometry.extent[2]!;

export const number = (geometry: GeometryFacts, [x, y, z]: Triple): number =>
  x + geometry.extent[0]! * (y + geometry.extent[1]! * z);

/** Returns the coordinates of the node with a number. */
export const nodeOf = ({ extent: [x, y] }: GeometryFacts, number: number): Triple => [
  number % x!,
  Math.floor(number / x!) % y!,
  Math.floor(number / (x! * y!)),
];

/** Returns the wrapped coordinates of a box along an axis. */
function along(geometry: GeometryFacts, box: BoxFacts, axis: number): number[] {
  return Array.from(
    { length: box.extent[axis]! },
    (_, step) => (box.at[axis]! + step) % geometry.extent[axis]!,
  );
}

/** Returns every node of a box, in the box's own order. */
export function* nodesOf(geometry: GeometryFacts, box: BoxFacts): Generator<Triple> {
  const [xs, ys, zs] = [0, 1, 2].map((axis) => along(geometry, box, axis)) as [
    number[],
    number[],
    number[],
  ];
  for (const z of zs) for (const y of ys) for (const x of xs) yield [x, y, z];
}

/** The owner of a node that is free, and of one that is out of service. */
export const [FREE, CLOSED] = [-1, -2] as const;

/** For each node, the index of its job among the residents, or one of these. */
export function owners(geometry: GeometryFacts, occupancy: OccupancyFacts): Int32Array {
  const found = new Int32Array(nodes(geometry)).fill(FREE);
  occupancy.residents.forEach((resident, at) => {
    for (const node of nodesOf(geometry, resident.box)) found[number(geometry, node)] = at;
  });
  for (const [first, count] of occupancy.closed)
    for (let at = first; at < first + count; at += 1) if (found[at] === FREE) found[at] = CLOSED;
  return found;
}

/**
 * Returns the parts of a box, each as [from, length] along each axis. A box that wraps has several
 * parts in a picture.
 */
export function parts(geometry: GeometryFacts, box: BoxFacts): { at: Triple; extent: Triple }[] {
  const pieces = [0, 1, 2].map((axis) => {
    const [nodes, at, length] = [geometry.extent[axis]!, box.at[axis]!, box.extent[axis]!];
    return at + length <= nodes
      ? [[at, length]]
      : [
          [at, nodes - at],
          [0, at + length - nodes],
        ];
  }) as [number, number][][];
  return pieces[0]!.flatMap(([x, a]) =>
    pieces[1]!.flatMap(([y, b]) =>
      pieces[2]!.map(([z, c]) => ({ at: [x, y, z] as Triple, extent: [a, b, c!] as Triple })),
    ),
  );
}

/** Returns a box as rows of a timeline: [first, number], in ascending order. */
export function rows(geometry: GeometryFacts, box: BoxFacts): [number, number][] {
  const numbers = [...nodesOf(geometry, box)]
    .map((node) => number(geometry, node))
    .sort((a, b) => a - b);
  const found: [number, number][] = [];
  for (const at of numbers) {
    const last = found.at(-1);
    if (last && last[0] + last[1] === at) last[1] += 1;
    else found.push([at, 1]);
  }
  return found;
}

export const size = (box: BoxFacts): number => box.extent[0]! * box.extent[1]! * box.extent[2]!;

export const shape = (box: BoxFacts): string => box.extent.join(" × ");

/**
 * Returns the compactness of a job: the edges of the cube of its volume over its own edges. A cube
 * has 1, a row of 8 nodes 0.6.
 */
export const compactness = (box: BoxFacts): number =>
  (3 * Math.cbrt(size(box))) / (box.extent[0]! + box.extent[1]! + box.extent[2]!);

export const colour = (resident: ResidentFacts): string =>
  `#${resident.colour.toString(16).padStart(6, "0")}`;
