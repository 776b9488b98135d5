// What a link looks like: its <visual>s, or else what its collision boxes and pins suggest: beams between pins with
// brackets for the cylinders, as welded booms have them.
import * as THREE from "three";
import { mergeGeometries, mergeVertices } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import { RoundedBoxGeometry } from "three/examples/jsm/geometries/RoundedBoxGeometry.js";
import { STLLoader } from "three/examples/jsm/loaders/STLLoader.js";
import { OBJLoader } from "three/examples/jsm/loaders/OBJLoader.js";
import type { Machine, Shape } from "./machine_file";

export interface Paint {
  body: THREE.Material;
  frame: THREE.Material;
  tool: THREE.Material;
  pin: THREE.Material;
  barrel: THREE.Material;
  chrome: THREE.Material;
  of(color: string): THREE.Material;
}

/** How finely things are drawn that are round or have bevels. */
export interface Detail {
  sides: number;
  bevels: boolean;
}
export const fine: Detail = { sides: 24, bevels: true };
export const coarse: Detail = { sides: 12, bevels: false };

export interface Role {
  material: THREE.Material;
  paint: Paint;
  detail: Detail;
  /** Where mesh files are, and who hears that one is missing. */
  files: string;
  missing(text: string): void;
}

interface Flat {
  x: number;
  y: number;
}

/** The pins of a link: own joint, joints of children, ends of cylinders; in the link's frame, along `axis`. */
interface Pins {
  axis: THREE.Vector3;
  joints: THREE.Vector3[];
  cylinders: THREE.Vector3[];
}

function pinsOf(machine: Machine, link: number): Pins | null {
  const own = link > 0 ? machine.joints[link - 1]! : null;
  if (!own || own.kind !== "revolute") return null;
  const pins: Pins = { axis: own.axis.clone(), joints: [new THREE.Vector3()], cylinders: [] };
  machine.joints.forEach((joint) => {
    if (joint.parent !== link || joint.kind !== "revolute") return;
    const rotation = new THREE.Matrix4().extractRotation(joint.origin);
    if (Math.abs(joint.axis.clone().applyMatrix4(rotation).dot(pins.axis)) > 0.99)
      pins.joints.push(new THREE.Vector3().setFromMatrixPosition(joint.origin));
  });
  for (const axis of machine.axes) {
    if (axis.kind === "drive") continue;
    const joint = machine.joints[axis.joint]!;
    if (axis.joint + 1 === link) pins.cylinders.push(axis.rod.clone());
    if (joint.parent === link) {
      pins.cylinders.push(axis.base.clone());
      if (axis.kind === "four_bar") pins.cylinders.push(axis.rocker.clone());
    }
  }
  return pins.joints.length + pins.cylinders.length > 1 ? pins : null;
}

export function linkShape(machine: Machine, link: number, role: Role): THREE.Group {
  const group = new THREE.Group();
  const { visuals, collisions } = machine.links[link]!;
  const pins = pinsOf(machine, link);
  if (visuals.length > 0) {
    for (const shape of visuals) group.add(primitive(shape, role));
    if (pins) addBosses(group, pins, 0.36, role);
    return finish(merged(group));
  }
  for (const shape of collisions) {
    if (pins && shape.kind === "box" && collisions.length === 1 && pins.joints.length > 1) addBeam(group, pins, shape, role);
    else group.add(primitive(shape, role));
  }
  return finish(merged(group));
}

/** One mesh for each material: a link of fifty parts costs as little to draw as one of three. */
function merged(group: THREE.Group): THREE.Group {
  const parts = new Map<THREE.Material, THREE.BufferGeometry[]>();
  for (const child of [...group.children]) {
    if (!(child instanceof THREE.Mesh)) continue;
    child.updateMatrix();
    const geometry = (child.geometry as THREE.BufferGeometry).clone().applyMatrix4(child.matrix);
    const plain = geometry.index ? geometry.toNonIndexed() : geometry;
    const material = child.material as THREE.Material;
    parts.set(material, [...(parts.get(material) ?? []), plain]);
    group.remove(child);
  }
  for (const [material, geometries] of parts) {
    const together = mergeGeometries(geometries);
    if (together) group.add(new THREE.Mesh(mergeVertices(together), material)); // corners that faces share are computed once
  }
  return group;
}

function finish(group: THREE.Group): THREE.Group {
  group.traverse((o) => {
    o.castShadow = true;
    o.receiveShadow = true;
  });
  return group;
}

function primitive(shape: Shape, role: Role): THREE.Object3D {
  const material = shape.color ? role.paint.of(shape.color) : role.material;
  const { size } = shape;
  const { sides, bevels } = role.detail;
  let object: THREE.Object3D;
  if (shape.kind === "mesh") object = meshFile(shape, role, material);
  else if (shape.kind === "box") {
    const bevel = Math.min(0.035, 0.2 * Math.min(size.x, size.y, size.z));
    object = new THREE.Mesh(bevels ? new RoundedBoxGeometry(size.x, size.y, size.z, 1, bevel) : new THREE.BoxGeometry(size.x, size.y, size.z), material);
  } else if (shape.kind === "sphere") object = new THREE.Mesh(new THREE.SphereGeometry(size.x, sides, (2 * sides) / 3), material);
  else {
    const geometry = new THREE.CylinderGeometry(size.x, size.x, size.z, (4 * sides) / 3);
    geometry.rotateX(Math.PI / 2); // URDF's cylinders lie along z
    object = new THREE.Mesh(geometry, material);
  }
  object.applyMatrix4(shape.pose);
  return object;
}

function meshFile(shape: Shape, role: Role, material: THREE.Material): THREE.Object3D {
  const holder = new THREE.Group();
  const name = shape.file.replace(/^(package|file):\/\//, "").split("/").pop() ?? "";
  const url = role.files + encodeURIComponent(name);
  const failed = () => role.missing(`mesh '${shape.file}' could not be loaded; the link is drawn without it`);
  const add = (object: THREE.Object3D) => {
    object.scale.copy(shape.size);
    holder.add(object);
    finish(holder);
  };
  if (/\.stl$/i.test(name))
    new STLLoader().load(url, (geometry) => add(new THREE.Mesh(geometry, material)), undefined, failed);
  else if (/\.obj$/i.test(name))
    new OBJLoader().load(
      url,
      (object) => {
        object.traverse((o) => {
          if (o instanceof THREE.Mesh) o.material = material;
        });
        add(object);
      },
      undefined,
      failed,
    );
  else role.missing(`mesh '${shape.file}' is neither .stl nor .obj; the link is drawn without it`);
  return holder;
}

function addBeam(group: THREE.Group, pins: Pins, box: Shape, role: Role): void {
  const { material, detail } = role, { sides } = detail;
  const axis = pins.axis.clone().normalize();
  const u = new THREE.Vector3(1, 0, 0).addScaledVector(axis, -axis.x);
  if (u.length() < 0.1) u.set(0, 1, 0).addScaledVector(axis, -axis.y);
  u.normalize();
  const v = axis.clone().cross(u);
  const plane = new THREE.Matrix4().makeBasis(u, v, axis);
  const flat = (p: THREE.Vector3): Flat => ({ x: p.dot(u), y: p.dot(v) });

  const corners: THREE.Vector3[] = [];
  for (const i of [-0.5, 0.5])
    for (const j of [-0.5, 0.5])
      for (const k of [-0.5, 0.5])
        corners.push(new THREE.Vector3(i * box.size.x, j * box.size.y, k * box.size.z).applyMatrix4(box.pose));
  const depths = corners.map((c) => c.dot(axis));
  const width = Math.max(...depths) - Math.min(...depths);
  const middle = (Math.max(...depths) + Math.min(...depths)) / 2;
  const center = flat(new THREE.Vector3().setFromMatrixPosition(box.pose));
  const height = Math.min(box.size.x, box.size.z, box.size.y) === width ? secondSmallest(box.size) : width;
  const nose = 0.36 * height;

  // The box's outline with its corners drawn in, so that the beam tapers towards its pins.
  const outline: Flat[] = corners.map(flat).map((p) => ({ x: center.x + 0.82 * (p.x - center.x), y: center.y + 0.98 * (p.y - center.y) }));
  for (const pin of pins.joints) outline.push(...circle(flat(pin), nose, sides));
  const beam = hull(outline);
  group.add(plate(beam, width, 0.03, plane, middle, material, detail));

  for (const pin of pins.cylinders) {
    const at = flat(pin);
    const foot = nearestOnBeam(beam, center, at);
    const bracket = hull([...circle(at, 0.085, sides), ...circle({ x: foot.x - 0.16, y: foot.y }, 0.06, sides), ...circle({ x: foot.x + 0.16, y: foot.y }, 0.06, sides)]);
    for (const side of [-1, 1])
      group.add(plate(bracket, 0.03, 0.008, plane, middle + side * 0.3 * width, material, detail));
  }
  addBosses(group, pins, width, role);
}

function addBosses(group: THREE.Group, pins: Pins, width: number, { paint, detail }: Role): void {
  const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 1, 0), pins.axis.clone().normalize());
  const boss = (at: THREE.Vector3, radius: number, length: number) => {
    const mesh = new THREE.Mesh(new THREE.CylinderGeometry(radius, radius, length, detail.sides), paint.pin);
    mesh.position.copy(at);
    mesh.quaternion.copy(turn);
    group.add(mesh);
  };
  for (const pin of pins.joints) boss(pin, 0.075, width + 0.09);
  for (const pin of pins.cylinders) boss(pin, 0.04, 0.6 * width + 0.1);
}

/** A polygon extruded along the axis, its middle at `at`. */
function plate(polygon: Flat[], width: number, wanted: number, plane: THREE.Matrix4, at: number, material: THREE.Material, detail: Detail): THREE.Mesh {
  const bevel = detail.bevels ? wanted : 0;
  const shape = new THREE.Shape(polygon.map((p) => new THREE.Vector2(p.x, p.y)));
  const geometry = new THREE.ExtrudeGeometry(shape, {
    depth: width - 2 * bevel,
    bevelEnabled: detail.bevels,
    bevelThickness: bevel,
    bevelSize: bevel,
    bevelOffset: -bevel,
    bevelSegments: 1,
    curveSegments: 1,
  });
  geometry.translate(0, 0, at - width / 2 + bevel);
  const mesh = new THREE.Mesh(geometry, material);
  mesh.applyMatrix4(plane);
  return mesh;
}

function nearestOnBeam(beam: Flat[], center: Flat, pin: Flat): Flat {
  let nearest = center;
  let least = Infinity;
  for (const p of beam) {
    // A foot inside the beam, so that the bracket grows out of it.
    const inner = { x: center.x + 0.85 * (p.x - center.x), y: center.y + 0.85 * (p.y - center.y) };
    for (const t of [0, 0.25, 0.5]) {
      const q = { x: inner.x + t * (center.x - inner.x), y: inner.y + t * (center.y - inner.y) };
      const distance = Math.hypot(q.x - pin.x, q.y - pin.y);
      if (distance < least) {
        least = distance;
        nearest = q;
      }
    }
  }
  return nearest;
}

const secondSmallest = (size: THREE.Vector3) => [size.x, size.y, size.z].sort((a, b) => a - b)[1]!;

function circle(center: Flat, radius: number, sides: number): Flat[] {
  return Array.from({ length: sides }, (_, i) => ({
    x: center.x + radius * Math.cos((2 * i * Math.PI) / sides),
    y: center.y + radius * Math.sin((2 * i * Math.PI) / sides),
  }));
}

/** Convex hull, counter-clockwise (Andrew's monotone chain). */
function hull(points: Flat[]): Flat[] {
  const sorted = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
  const half = (list: Flat[]) => {
    const chain: Flat[] = [];
    for (const p of list) {
      while (chain.length > 1) {
        const [a, b] = [chain[chain.length - 2]!, chain[chain.length - 1]!];
        if ((b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x) > 1e-12) break;
        chain.pop();
      }
      chain.push(p);
    }
    chain.pop();
    return chain;
  };
  return [...half(sorted), ...half(sorted.reverse())];
}
