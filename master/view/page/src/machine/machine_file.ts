// A machine as our URDF describes it (interfaces/machine_file says what the elements mean), as plain data in SI units.
import { Matrix4, Quaternion, Vector3 } from "three";

export interface Shape {
  kind: "box" | "cylinder" | "sphere" | "mesh";
  size: Vector3; // box: edges; cylinder: radius, radius, length; sphere: radius; mesh: scale
  file: string;
  pose: Matrix4; // in the link's frame
  color: string | null;
}
export interface Link {
  name: string;
  visuals: Shape[];
  collisions: Shape[];
}
/** Joint i moves link i + 1 against `parent`; a parent stands before its children; link 0 is the root. */
export interface Joint {
  name: string;
  kind: "fixed" | "revolute" | "prismatic";
  parent: number;
  origin: Matrix4;
  axis: Vector3;
  lower: number;
  upper: number;
}
export interface Axis {
  name: string;
  joint: number;
  kind: "drive" | "cylinder" | "four_bar";
  ratio: number;
  base: Vector3;
  rod: Vector3;
  rocker: Vector3;
  rockerLength: number;
  rodLength: number;
  closedLength: number;
  stroke: number;
  sign: number;
}
export interface Machine {
  name: string;
  links: Link[];
  joints: Joint[];
  axes: Axis[];
  tilted: number;
  tool: { link: number; origin: Matrix4; box: Vector3 } | null;
}

export function parseMachine(text: string): Machine {
  const root = new DOMParser().parseFromString(text, "application/xml").documentElement;
  if (root.tagName !== "robot") throw new Error(`a machine is a <robot>, found <${root.tagName}>`);
  const colors = new Map<string, string>();
  for (const material of children(root, "material")) {
    const color = colorOf(material);
    if (color) colors.set(attribute(material, "name"), color);
  }
  const nodes = new Map(children(root, "link").map((node) => [attribute(node, "name"), node]));
  const branches = children(root, "joint").map((node) => ({
    node,
    parent: attribute(child(node, "parent"), "link"),
    child: attribute(child(node, "child"), "link"),
  }));
  const machine: Machine = { name: attribute(root, "name"), links: [], joints: [], axes: [], tilted: 0, tool: null };
  const placed = new Map<string, number>();
  const place = (name: string) => {
    const node = nodes.get(name);
    if (!node) throw new Error(`joint names the link '${name}', which does not exist`);
    placed.set(name, machine.links.length);
    machine.links.push({
      name,
      visuals: children(node, "visual").map((v) => shapeOf(v, colors)),
      collisions: children(node, "collision").map((v) => shapeOf(v, colors)),
    });
  };
  const first = [...nodes.keys()].find((name) => !branches.some((b) => b.child === name));
  if (first === undefined) throw new Error("every link has a parent: the joints form a ring, not a tree");
  place(first);
  while (branches.length > 0) {
    const next = branches.findIndex((b) => placed.has(b.parent));
    if (next < 0) throw new Error(`joint '${attribute(branches[0]!.node, "name")}' has no parent in the tree`);
    const [branch] = branches.splice(next, 1);
    machine.joints.push(jointOf(branch!.node, placed.get(branch!.parent)!));
    place(branch!.child);
  }
  for (const kind of ["drive", "cylinder", "four_bar"] as const)
    for (const node of children(root, kind)) machine.axes.push(axisOf(node, kind, machine));
  const tool = children(root, "tool")[0];
  if (tool)
    machine.tool = {
      link: placed.get(attribute(tool, "link")) ?? 0,
      origin: originOf(tool),
      box: vector(children(tool, "box")[0], "size"),
    };
  const tilt = children(root, "tilt")[0];
  if (tilt) machine.tilted = placed.get(attribute(tilt, "link")) ?? 0;
  return machine;
}

function jointOf(node: Element, parent: number): Joint {
  const type = attribute(node, "type");
  const limit = children(node, "limit")[0];
  const axis = vector(children(node, "axis")[0], "xyz", [1, 0, 0]);
  return {
    name: attribute(node, "name"),
    kind: type === "prismatic" ? "prismatic" : type === "revolute" || type === "continuous" ? "revolute" : "fixed",
    parent,
    origin: originOf(node),
    axis: axis.lengthSq() > 0 ? axis.normalize() : new Vector3(1, 0, 0),
    lower: limit && type !== "continuous" ? number(limit, "lower", -Infinity) : -Infinity,
    upper: limit && type !== "continuous" ? number(limit, "upper", Infinity) : Infinity,
  };
}

function axisOf(node: Element, kind: Axis["kind"], machine: Machine): Axis {
  return {
    name: attribute(node, "name"),
    joint: Math.max(0, machine.joints.findIndex((j) => j.name === attribute(node, "joint"))),
    kind,
    ratio: number(node, "ratio", 1),
    base: vector(node, "base"),
    rod: vector(node, "rod"),
    rocker: vector(node, "rocker"),
    rockerLength: number(node, "rocker_length", 0),
    rodLength: number(node, "rod_length", 0),
    closedLength: number(node, "closed_length", 0),
    stroke: number(node, "stroke", 0),
    sign: number(node, "sign", 1),
  };
}

function shapeOf(node: Element, colors: Map<string, string>): Shape {
  const geometry = children(node, "geometry")[0];
  const material = children(node, "material")[0];
  const shape: Shape = {
    kind: "box",
    size: new Vector3(0.1, 0.1, 0.1),
    file: "",
    pose: originOf(node),
    color: material ? (colorOf(material) ?? colors.get(attribute(material, "name")) ?? null) : null,
  };
  for (const form of geometry ? [...geometry.children] : []) {
    if (form.tagName === "box") shape.size = vector(form, "size");
    else if (form.tagName === "cylinder" || form.tagName === "sphere") {
      const radius = number(form, "radius", 0.05);
      shape.kind = form.tagName;
      shape.size = new Vector3(radius, radius, number(form, "length", 2 * radius));
    } else if (form.tagName === "mesh") {
      shape.kind = "mesh";
      shape.size = vector(form, "scale", [1, 1, 1]);
      shape.file = attribute(form, "filename");
    }
  }
  return shape;
}

function colorOf(material: Element): string | null {
  const color = children(material, "color")[0];
  if (!color) return null;
  const parts = attribute(color, "rgba").trim().split(/\s+/).map(Number);
  if (parts.length < 3 || parts.some((v) => !Number.isFinite(v))) return null;
  return `rgb(${parts.slice(0, 3).map((v) => Math.round(255 * v)).join(",")})`;
}

function originOf(node: Element): Matrix4 {
  const origin = children(node, "origin")[0];
  const [x, y, z] = vector(origin, "rpy").toArray();
  const turn = (axis: Vector3, by: number) => new Quaternion().setFromAxisAngle(axis, by);
  const rotation = turn(new Vector3(0, 0, 1), z)
    .multiply(turn(new Vector3(0, 1, 0), y))
    .multiply(turn(new Vector3(1, 0, 0), x));
  return new Matrix4().compose(vector(origin, "xyz"), rotation, new Vector3(1, 1, 1));
}

const children = (node: Element, name: string) => [...node.children].filter((c) => c.tagName === name);
const attribute = (node: Element, name: string) => node.getAttribute(name) ?? "";
function child(node: Element, name: string): Element {
  const found = children(node, name)[0];
  if (!found) throw new Error(`<${node.tagName} name="${attribute(node, "name")}"> has no <${name}>`);
  return found;
}
function number(node: Element, name: string, otherwise: number): number {
  const value = Number.parseFloat(attribute(node, name));
  return Number.isFinite(value) ? value : otherwise;
}
function vector(node: Element | undefined, name: string, otherwise = [0, 0, 0]): Vector3 {
  const parts = (node ? attribute(node, name) : "").trim().split(/\s+/).map(Number.parseFloat);
  const [x, y, z] = parts.length === 3 && parts.every(Number.isFinite) ? parts : otherwise;
  return new Vector3(x, y, z);
}
