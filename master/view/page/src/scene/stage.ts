// Everything that can be seen, put together from what the system says it has; takes frames and places things.
import * as THREE from "three";
import type { ArrayFrame, CloudMessage, StateFrame } from "../data/frames";
import type { MachineInfo, System } from "../data/system";
import { type Machine, parseMachine } from "../machine/machine_file";
import { MachineModel } from "../machine/model";
import { coarse, fine } from "../machine/shapes";
import { type Effort, isModest } from "./effort";
import { ghostPaint, machinePaint } from "./materials";
import { Cloud, type CloudColors, Edge, fieldOfView } from "./sensing";
import { Surroundings } from "./surroundings";
import { Wall, coarseWall, fineWall } from "./wall";

const ghostColors = ["#3fa7ff", "#ff5fa2", "#7bd65a"];

export interface Shown {
  model: MachineModel;
  info: MachineInfo;
  stream: number;
}

export class Stage {
  readonly scene = new THREE.Scene();
  readonly modest: boolean;
  readonly surroundings: Surroundings;
  readonly machines: Shown[] = [];
  readonly wall: Wall | null = null;
  readonly cloud: Cloud | null = null;
  readonly edge: Edge | null = null;
  private readonly cone: THREE.Group | null = null;
  private readonly limits: THREE.Group | null = null;
  private readonly toolMark: THREE.Group | null = null;
  private readonly hung = new THREE.Group(); // what goes with the machine
  private unknown = new Set<"machine" | "wall">();
  private readonly ended = new Set<number>(); // recordings
  private readonly arrays = new Map<string, Float32Array>();
  private readonly covered = new THREE.Vector3(Infinity, 0, 0);

  private constructor(
    readonly system: System,
    readonly effort: Effort,
    machines: { machine: Machine; info: MachineInfo }[],
    warn: (text: string) => void,
  ) {
    this.modest = isModest(effort);
    const view = system.view ?? {};
    const floor = view.wall ? (view.wall.floor ?? -60) : 0;
    this.surroundings = new Surroundings(this.scene, floor, floor < -5);
    this.scene.add(this.surroundings.group, this.hung);
    for (let stream = 0; stream < Math.max(1, system.streams.length); ++stream)
      for (const { machine, info } of machines) {
        const paint = stream === 0 ? machinePaint() : ghostPaint(ghostColors[(stream - 1) % ghostColors.length]!);
        const model = new MachineModel(machine, paint, this.modest ? coarse : fine, "files/", warn);
        this.scene.add(model.group);
        this.machines.push({ model, info, stream });
      }
    if (view.wall) {
      this.wall = new Wall({ ...view.wall, floor }, this.modest ? coarseWall : fineWall);
      this.scene.add(this.wall.group);
    }
    if (view.cloud) {
      this.cloud = new Cloud();
      this.scene.add(this.cloud.points);
    }
    if (view.edge) {
      this.edge = new Edge(view.edge);
      this.scene.add(this.edge.group);
    }
    if (view.lidar) {
      this.cone = fieldOfView(view.lidar);
      this.hung.add(this.cone);
    }
    const first = machines[0]?.machine;
    if (first?.tool) {
      this.toolMark = toolMark(first.tool.box);
      this.hung.add(this.toolMark);
      if (this.wall) {
        this.limits = workingArea(this.wall.ring);
        this.scene.add(this.limits);
      }
    }
    if (machines.some((m) => m.info.unknown)) this.know("machine", false);
    this.follow();
  }

  /** `read`: the text of a machine's description. */
  static async make(system: System, effort: Effort, warn: (text: string) => void, read: (url: string) => Promise<string> = fetched): Promise<Stage> {
    const machines: { machine: Machine; info: MachineInfo }[] = [];
    for (const info of system.view?.machines ?? []) {
      try {
        machines.push({ machine: parseMachine(await read(info.urdf)), info });
      } catch (error) {
        warn(`machine '${info.name}' cannot be shown: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    return new Stage(system, effort, machines, warn);
  }

  /** True where there is something besides sky and ground. */
  get shows(): boolean {
    return this.machines.length > 0 || this.wall !== null;
  }

  machine(name?: string): MachineModel | null {
    const found = this.machines.find((m) => m.stream === 0 && (name === undefined || m.info.name === name));
    return (found ?? this.machines[0])?.model ?? null;
  }

  /** What nobody has told of yet is not drawn where it might be, and nothing is read off it. */
  know(what: "machine" | "wall", known: boolean): void {
    if (known) this.unknown.delete(what);
    else this.unknown.add(what);
    if (what === "wall" && this.wall) this.wall.group.visible = known;
    if (what === "machine") this.showMachines();
  }
  knows(what: "machine" | "wall"): boolean {
    return !this.unknown.has(what) && !(what === "machine" && this.ended.has(0));
  }
  /** After the end of a recording nobody knows where its machines are. */
  end(stream: number, ended: boolean): void {
    if (this.ended.has(stream) === ended) return;
    if (ended) this.ended.add(stream);
    else this.ended.delete(stream);
    this.showMachines();
  }
  private showMachines(): void {
    this.hung.visible = this.knows("machine");
    for (const { model, stream } of this.machines) model.group.visible = !this.unknown.has("machine") && !this.ended.has(stream);
  }

  link(machine: string | undefined, link: string | undefined): THREE.Matrix4 | null {
    const model = this.machine(machine);
    if (!model) return null;
    const index = model.machine.links.findIndex((l) => l.name === link);
    return index < 0 ? null : model.poses[index]!;
  }

  /** The tool point in the world. */
  tool(): THREE.Matrix4 | null {
    const model = this.machine(this.system.view?.tool?.machine);
    const tool = model?.machine.tool;
    return model && tool ? model.poses[tool.link]!.clone().multiply(tool.origin) : null;
  }

  state(frame: StateFrame): void {
    for (const shown of this.machines) {
      if (shown.stream !== frame.stream || shown.info.poses !== undefined || !shown.info.joints) continue;
      const { machine } = shown.model;
      const coordinates = machine.joints.map((joint) => {
        const source = shown.info.joints![joint.name];
        const value = source ? frame.values[source.signal] : undefined;
        return source && value !== undefined && Number.isFinite(value) ? source.factor * value + source.offset : 0;
      });
      shown.model.placeJoints(coordinates);
    }
    this.follow();
  }

  array(frame: ArrayFrame): void {
    const view = this.system.view ?? {};
    this.arrays.set(`${frame.stream}/${frame.index}`, frame.values);
    for (const shown of this.machines)
      if (shown.stream === frame.stream && shown.info.poses === frame.index) shown.model.placeRows(frame.values);
    if (frame.stream !== 0) return;
    if (this.wall && view.wall?.heights === frame.index) {
      const [columns, rows] = this.system.arrays[frame.index]?.dimensions ?? [0, 0];
      this.wall.update(frame.values, columns!, rows!);
    }
    if (view.edge && (view.edge.heights === frame.index || view.edge.valid === frame.index)) this.showEdge();
    this.follow();
  }

  cloudFrame(frame: CloudMessage): void {
    if (frame.stream === 0) this.cloud?.show(frame);
  }

  /** What is switched on and off in the page. */
  show(what: "lidar" | "edge" | "limits" | "tool", on: boolean): void {
    const object = { lidar: this.cone, edge: this.edge?.group, limits: this.limits, tool: this.toolMark }[what];
    if (object) object.visible = on;
  }
  colorCloud(colors: CloudColors): void {
    this.cloud?.colorBy(colors);
  }

  private showEdge(): void {
    const edge = this.system.view!.edge!;
    const heights = this.arrays.get(`0/${edge.heights}`);
    const frame = this.link(edge.machine, edge.frame);
    if (!heights || !frame) return;
    const valid = edge.valid === undefined ? null : (this.arrays.get(`0/${edge.valid}`) ?? null);
    this.edge!.show(heights, valid, frame);
  }

  /** The machine was moved from outside. */
  refresh(): void {
    this.follow();
  }

  /** What hangs on the machine goes with it, and the shadows too. */
  private follow(): void {
    const view = this.system.view ?? {};
    if (this.cone && view.lidar) {
      const sensor = this.link(view.lidar.machine, view.lidar.link);
      if (sensor) {
        this.cone.matrix.copy(sensor);
        this.cone.matrixWorldNeedsUpdate = true;
      }
    }
    const tool = this.tool();
    if (tool && this.toolMark) {
      this.toolMark.matrix.copy(tool);
      this.toolMark.matrixWorldNeedsUpdate = true;
    }
    const center = this.focus();
    if (center.distanceTo(this.covered) > 1) {
      this.covered.copy(center);
      this.surroundings.cover(center, 9);
    }
  }

  /** What a camera should look at: between the machine's body and its tool. */
  focus(): THREE.Vector3 {
    const model = this.machine();
    if (!model) return new THREE.Vector3();
    const body = new THREE.Vector3().setFromMatrixPosition(model.poses[model.machine.tilted || model.poses.length - 1]!);
    const tool = this.tool();
    return tool ? body.add(new THREE.Vector3().setFromMatrixPosition(tool)).multiplyScalar(0.5) : body;
  }
}

async function fetched(url: string): Promise<string> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  return answer.text();
}

/** The chamber of the tool and its axes. */
function toolMark(box: THREE.Vector3): THREE.Group {
  const group = new THREE.Group();
  const edges = new THREE.LineSegments(
    new THREE.EdgesGeometry(new THREE.BoxGeometry(box.x, box.y, box.z).translate(0, 0, 0)),
    new THREE.LineBasicMaterial({ color: "#ffffff", transparent: true, opacity: 0.55, fog: false }),
  );
  const axes = new THREE.AxesHelper(0.35);
  group.add(edges, axes);
  group.matrixAutoUpdate = false;
  group.name = "tool";
  return group;
}

/** Limits of the working area: the ends of the segment, and its target line carried to both sides of the wall. */
function workingArea(ring: Wall["ring"]): THREE.Group {
  const group = new THREE.Group();
  const points: THREE.Vector3[] = [];
  const reach = [ring.radius - 0.6, ring.radius + ring.thickness + 0.6];
  const at = (azimuth: number, r: number, z: number) => new THREE.Vector3(r * Math.cos(azimuth), r * Math.sin(azimuth), z);
  const top = ring.base + ring.height + 0.5;
  const n = 48;
  for (const r of reach)
    for (let i = 0; i < n; ++i)
      for (const z of [0, top]) {
        points.push(at(ring.start + (ring.span * i) / n, r, z), at(ring.start + (ring.span * (i + 1)) / n, r, z));
      }
  for (const azimuth of [ring.start, ring.start + ring.span]) {
    for (const z of [0, top]) points.push(at(azimuth, reach[0]!, z), at(azimuth, reach[1]!, z));
    for (const r of reach) points.push(at(azimuth, r, 0), at(azimuth, r, top));
  }
  group.add(
    new THREE.LineSegments(
      new THREE.BufferGeometry().setFromPoints(points),
      new THREE.LineBasicMaterial({ color: "#ffd34d", transparent: true, opacity: 0.55, fog: false }),
    ),
  );
  group.name = "limits";
  return group;
}
