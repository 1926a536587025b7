// The machine in space, with three.js: one instance of a cube for each visible node. The code loads
// on demand.

import type { BoxFacts, GeometryFacts, OccupancyFacts } from "schedscope";
import {
  AmbientLight,
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CanvasTexture,
  Color,
  DirectionalLight,
  DynamicDrawUsage,
  EdgesGeometry,
  InstancedMesh,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  MeshLambertMaterial,
  PerspectiveCamera,
  Points,
  PointsMaterial,
  Raycaster,
  Scene,
  Sprite,
  SpriteMaterial,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { CLOSED, FREE, nodeOf, nodes, nodesOf, number, parts, type Triple } from "./boxes";

export interface Options {
  /** Number of layers that are removed, from the far end of an axis. */
  peel: Triple;
  /** Space between neighbouring nodes, in nodes. */
  explode: number;
  /** True if free nodes are points. */
  ghosts: boolean;
  /** True if the largest free box has a frame. */
  largest: boolean;
  /** Index of the marked job among the residents, or -1. */
  marked: number;
  ink: string;
  accent: string;
}

/** Milliseconds that a moved job slides. */
const SLIDE = 600;

/** Number of nodes up to which an exploded machine shows its inner nodes too. */
const ALL = 8192;

export class View {
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly camera = new PerspectiveCamera(40, 1, 0.1, 2000);
  private readonly controls: OrbitControls;
  private readonly cubes: InstancedMesh;
  private readonly ghosts = new Points(
    new BufferGeometry(),
    new PointsMaterial({ size: 3, sizeAttenuation: false, transparent: true, opacity: 0.5 }),
  );
  private readonly frame = new LineSegments(new BufferGeometry(), new LineBasicMaterial());
  /** The frame of each job's box, which tells apart two jobs of one colour. */
  private readonly jobs = new LineSegments(
    new BufferGeometry(),
    new LineBasicMaterial({ transparent: true, opacity: 0.8 }),
  );
  private readonly names: Sprite[] = [];
  private readonly hull = new LineSegments(
    new BufferGeometry(),
    new LineBasicMaterial({ transparent: true, opacity: 0.35 }),
  );
  /** The node of each instance, and the place from which it slides. */
  private shown: { node: Triple; job: number; from: Triple | undefined }[] = [];
  private began = 0;
  private pending = 0;
  private explode = 0;
  /**
   * The last picture, its boxes by job, and the former boxes of jobs that have moved since the
   * picture before.
   */
  private last: OccupancyFacts | undefined;
  private before = new Map<number, BoxFacts>();
  private moved = new Map<number, BoxFacts>();

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly geometry: GeometryFacts,
  ) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true });
    this.cubes = new InstancedMesh(
      new BoxGeometry(0.92, 0.92, 0.92),
      new MeshLambertMaterial(),
      nodes(geometry),
    );
    this.cubes.instanceMatrix.setUsage(DynamicDrawUsage);
    this.cubes.setColorAt(0, new Color());
    this.cubes.frustumCulled = false;
    const sun = new DirectionalLight(0xffffff, 1.6);
    sun.position.set(0.6, 1, 0.8);
    this.scene.add(
      new AmbientLight(0xffffff, 1.5),
      sun,
      this.cubes,
      this.ghosts,
      this.jobs,
      this.frame,
      this.hull,
    );
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => this.render());
    this.snap("corner");
  }

  private get centre(): Vector3 {
    return new Vector3(
      ...this.geometry.extent.map((nodes) => ((nodes - 1) * (1 + this.explode)) / 2),
    );
  }

  /** Looks along an axis, or from a corner, at the whole machine. */
  snap(to: "x" | "y" | "z" | "corner"): void {
    const direction = {
      x: new Vector3(1, 0.001, 0),
      y: new Vector3(0, 1, 0.001),
      z: new Vector3(0, 0.001, 1),
      corner: new Vector3(0.9, 0.7, 1.2),
    }[to].normalize();
    const radius =
      new Vector3(...this.geometry.extent).multiplyScalar(1 + this.explode).length() / 2;
    this.controls.target.copy(this.centre);
    this.camera.position
      .copy(this.centre)
      .addScaledVector(direction, (radius * 1.3) / Math.sin((this.camera.fov * Math.PI) / 360));
    this.controls.update();
    this.render();
  }

  /** Turns the camera by angles, for the keyboard. */
  turn(around: number, over: number): void {
    const offset = this.camera.position.clone().sub(this.controls.target);
    const radius = offset.length();
    const [azimuth, polar] = [
      Math.atan2(offset.x, offset.z) + around,
      Math.min(3.1, Math.max(0.04, Math.acos(offset.y / radius) + over)),
    ];
    offset
      .set(
        Math.sin(polar) * Math.sin(azimuth),
        Math.cos(polar),
        Math.sin(polar) * Math.cos(azimuth),
      )
      .multiplyScalar(radius);
    this.camera.position.copy(this.controls.target).add(offset);
    this.controls.update();
    this.render();
  }

  zoom(by: number): void {
    this.camera.position
      .sub(this.controls.target)
      .multiplyScalar(1 / by)
      .add(this.controls.target);
    this.controls.update();
    this.render();
  }

  resize(width: number, height: number): void {
    this.renderer.setPixelRatio(Math.min(2, devicePixelRatio || 1));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(1, height);
    this.camera.updateProjectionMatrix();
    this.render();
  }

  show(occupancy: OccupancyFacts, owner: Int32Array, options: Options, slides: boolean): void {
    const { geometry } = this;
    const ends = geometry.extent.map(
      (nodes, axis) => nodes - options.peel[axis]!,
    ) as unknown as Triple;
    if (options.explode !== this.explode) {
      // A larger machine needs a greater distance.
      const offset = this.camera.position
        .clone()
        .sub(this.controls.target)
        .multiplyScalar((1 + options.explode) / (1 + this.explode));
      this.explode = options.explode;
      this.controls.target.copy(this.centre);
      this.camera.position.copy(this.centre).add(offset);
      this.controls.update();
    }
    const isShown = ([x, y, z]: Triple) => x < ends[0] && y < ends[1] && z < ends[2];
    const job = (node: Triple) => (isShown(node) ? owner[number(geometry, node)]! : FREE);
    const hides = options.explode < 0.2 || nodes(geometry) > ALL;
    const isInside = ([x, y, z]: Triple) =>
      hides &&
      x > 0 &&
      y > 0 &&
      z > 0 &&
      job([x - 1, y, z]) >= 0 &&
      job([x + 1, y, z]) >= 0 &&
      job([x, y - 1, z]) >= 0 &&
      job([x, y + 1, z]) >= 0 &&
      job([x, y, z - 1]) >= 0 &&
      job([x, y, z + 1]) >= 0;
    if (occupancy !== this.last) {
      this.last = occupancy;
      const isElsewhere = (old: BoxFacts, box: BoxFacts) =>
        String(old.at) !== String(box.at) || String(old.extent) !== String(box.extent);
      const boxes = new Map(occupancy.residents.map((resident) => [resident.job, resident.box]));
      this.moved = new Map(
        [...this.before].filter(
          ([job, old]) => slides && boxes.has(job) && isElsewhere(old, boxes.get(job)!),
        ),
      );
      this.before = boxes;
      this.began = this.moved.size > 0 ? performance.now() : 0;
    }
    this.shown = [];
    const ghosts: number[] = [];
    occupancy.residents.forEach((resident, at) => {
      const old = this.began ? this.moved.get(resident.job) : undefined;
      const from = old ? [...nodesOf(geometry, old)] : [];
      let place = 0;
      for (const node of nodesOf(geometry, resident.box)) {
        const came = from[place++];
        if (isShown(node) && (old || !isInside(node)))
          this.shown.push({ node, job: at, from: came });
      }
    });
    if (options.ghosts) {
      for (let z = 0; z < ends[2]; z++)
        for (let y = 0; y < ends[1]; y++)
          for (let x = 0; x < ends[0]; x++)
            if (job([x, y, z]) === FREE) ghosts.push(...this.at([x, y, z]));
    }
    for (const [first, count] of occupancy.closed)
      for (let at = first; at < first + count; at += 1) {
        const node = nodeOf(geometry, at);
        if (job(node) === CLOSED) this.shown.push({ node, job: CLOSED, from: undefined });
      }
    const colour = new Color();
    this.shown.forEach(({ job }, at) => {
      // Nodes that are out of service are grey.
      colour.set(occupancy.residents[job]?.colour ?? 0x777777);
      if (job !== CLOSED && options.marked >= 0 && options.marked !== job)
        colour.lerp(new Color(0x888888), 0.75).multiplyScalar(0.8);
      this.cubes.setColorAt(at, colour);
    });
    this.cubes.count = this.shown.length;
    if (this.cubes.instanceColor) this.cubes.instanceColor.needsUpdate = true;
    this.lines(this.ghosts, ghosts, options.ink);
    // The boxes of a peeled machine end where the machine ends.
    const cut = (at: Triple, extent: Triple): Triple =>
      extent.map((length, axis) => Math.min(length, ends[axis]! - at[axis]!)) as unknown as Triple;
    const frames = (box: BoxFacts, margin: number) =>
      parts(geometry, box)
        .map(({ at, extent }) => ({ at, extent: cut(at, extent) }))
        .filter(({ extent }) => extent.every((length) => length > 0))
        .flatMap(({ at, extent }) => this.edges(at, extent, margin));
    this.lines(
      this.frame,
      options.largest && occupancy.largest ? frames(occupancy.largest, 0.02) : [],
      options.accent,
    );
    this.lines(
      this.jobs,
      occupancy.residents.flatMap((resident) => frames(resident.box, 0)),
      options.ink,
    );
    this.lines(
      this.hull,
      this.edges([0, 0, 0], geometry.extent as unknown as Triple, 0.12),
      options.ink,
    );
    this.name(options.ink);
    this.place();
    this.render();
  }

  private lines(what: Points | LineSegments, positions: number[], colour: string): void {
    what.geometry.dispose();
    what.geometry = new BufferGeometry();
    what.geometry.setAttribute("position", new BufferAttribute(new Float32Array(positions), 3));
    (what.material as LineBasicMaterial | PointsMaterial).color.set(colour);
    what.visible = positions.length > 0;
  }

  /** Returns the place of a node. As in the slices, y points down. */
  private at([x, y, z]: Triple): [number, number, number] {
    const space = 1 + this.explode;
    return [x * space, (this.geometry.extent[1]! - 1 - y) * space, z * space];
  }

  /** The names of the axes, at their far ends. */
  private name(ink: string): void {
    for (const old of this.names.splice(0)) {
      this.scene.remove(old);
      old.material.map?.dispose();
      old.material.dispose();
    }
    [0, 1, 2].forEach((axis) => {
      const canvas = Object.assign(document.createElement("canvas"), { width: 64, height: 64 });
      const context = canvas.getContext("2d")!;
      context.font = "bold 48px system-ui, sans-serif";
      context.textAlign = "center";
      context.fillStyle = ink;
      context.fillText("xyz"[axis]!, 32, 48);
      const sprite = new Sprite(
        new SpriteMaterial({ map: new CanvasTexture(canvas), depthTest: false }),
      );
      const end = [0, 0, 0];
      end[axis] = this.geometry.extent[axis]! - 0.2;
      const margin = [-0.9, -0.9, -0.9];
      margin[axis] = 0;
      sprite.position.set(...this.at(end.map((at, of) => at + margin[of]!) as unknown as Triple));
      sprite.scale.setScalar(Math.max(0.9, Math.cbrt(nodes(this.geometry)) / 7));
      this.names.push(sprite);
      this.scene.add(sprite);
    });
  }

  /** Returns the twelve edges of a box, a little outside its nodes. */
  private edges(at: Triple, extent: Triple, margin: number): number[] {
    const space = 1 + this.explode;
    const [a, b, c] = extent.map((nodes) => (nodes - 1) * space + 1 + 2 * margin) as [
      number,
      number,
      number,
    ];
    const middle = this.at(
      at.map((from, axis) => from + (extent[axis]! - 1) / 2) as unknown as Triple,
    );
    const box = new BoxGeometry(a, b, c).translate(...middle);
    const edges = new EdgesGeometry(box);
    const positions = [...(edges.getAttribute("position").array as Float32Array)];
    box.dispose();
    edges.dispose();
    return positions;
  }

  /** Puts every cube at its present place. */
  private place(): void {
    const share = this.began ? Math.min(1, (performance.now() - this.began) / SLIDE) : 1;
    const eased = share * share * (3 - 2 * share);
    const matrix = new Matrix4();
    this.shown.forEach(({ node, from }, at) => {
      const to = this.at(node);
      if (from && share < 1) {
        const start = this.at(from);
        for (const axis of [0, 1, 2]) to[axis] = start[axis]! + (to[axis]! - start[axis]!) * eased;
      }
      this.cubes.setMatrixAt(at, matrix.makeTranslation(...to));
    });
    this.cubes.instanceMatrix.needsUpdate = true;
    // Clicks test the bounding sphere first. With null, three.js computes it anew.
    this.cubes.boundingSphere = null;
    if (share >= 1) this.began = 0;
  }

  /** Draws at the next frame, once for any number of calls. A slide continues by itself. */
  private render(): void {
    this.pending ||= requestAnimationFrame(() => {
      this.pending = 0;
      if (this.began) {
        this.place();
        this.render();
      }
      // Sliding jobs are not yet in their boxes.
      this.jobs.visible = this.began === 0;
      this.renderer.render(this.scene, this.camera);
    });
  }

  /** Returns the node under a point of the canvas. The point is given in shares of its size. */
  pick(x: number, y: number): Triple | undefined {
    const caster = new Raycaster();
    caster.setFromCamera(new Vector2(2 * x - 1, 1 - 2 * y), this.camera);
    const [hit] = caster.intersectObject(this.cubes);
    return hit?.instanceId === undefined ? undefined : this.shown[hit.instanceId]?.node;
  }

  /** Returns the picture as a PNG. */
  blob(): Promise<Blob | null> {
    this.renderer.render(this.scene, this.camera);
    return new Promise((resolve) => this.canvas.toBlob(resolve, "image/png"));
  }

  dispose(): void {
    cancelAnimationFrame(this.pending);
    this.controls.dispose();
    this.cubes.dispose();
    this.renderer.dispose();
  }
}
