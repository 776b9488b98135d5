// Closed linkages and forward kinematics: where the links are when axis positions are known, and where the pins of a
// cylinder are when the links are known. The formulas are those of models/machine/kinematics/linkage.cpp.
import { Matrix4, Quaternion, Vector3 } from "three";
import type { Axis, Machine } from "./machine_file";

/** A right-handed frame with z along the joint's axis, in the joint's frame. */
function planeOf(axis: Vector3): Matrix4 {
  const z = axis.clone().normalize();
  const x = new Vector3(1, 0, 0).addScaledVector(z, -z.x);
  if (x.length() < 0.1) x.set(0, 1, 0).addScaledVector(z, -z.y);
  x.normalize();
  return new Matrix4().makeBasis(x, z.clone().cross(x), z);
}

const corner = (a: number, b: number, oppositeSquared: number) =>
  Math.acos(Math.min(1, Math.max(-1, (a * a + b * b - oppositeSquared) / (2 * a * b))));

interface Point {
  x: number;
  y: number;
}
const norm = (v: Point) => Math.hypot(v.x, v.y);
const angle = (v: Point) => Math.atan2(v.y, v.x);

/** One axis in the plane its pins move in. */
export class Linkage {
  readonly base: Vector3;
  readonly rod: Vector3;
  readonly rocker: Vector3;
  /** From the plane to the frame of the joint's parent link. */
  readonly frame: Matrix4;

  constructor(
    readonly axis: Axis,
    machine: Machine,
  ) {
    const joint = machine.joints[axis.joint]!;
    const plane = planeOf(joint.axis);
    this.frame = joint.origin.clone().multiply(plane);
    const ofParent = this.frame.clone().invert();
    this.base = axis.base.clone().applyMatrix4(ofParent);
    this.rocker = axis.rocker.clone().applyMatrix4(ofParent);
    this.rod = axis.rod.clone().applyMatrix4(plane.clone().invert());
  }

  /** The joint's coordinate at a position of the axis. */
  joint(position: number): number {
    const { axis, base, rod, rocker } = this;
    if (axis.kind === "drive") return position / axis.ratio;
    const length = axis.closedLength + position;
    if (axis.kind === "cylinder") {
      const between = corner(norm(base), norm(rod), length ** 2 - (rod.z - base.z) ** 2);
      return angle(base) + axis.sign * between - angle(rod);
    }
    const toBase = { x: base.x - rocker.x, y: base.y - rocker.y };
    const swing = corner(norm(toBase), axis.rockerLength, length ** 2 - (rocker.z - base.z) ** 2);
    const at = angle(toBase) + axis.sign * swing;
    const end = {
      x: rocker.x + axis.rockerLength * Math.cos(at),
      y: rocker.y + axis.rockerLength * Math.sin(at),
    };
    const between = corner(norm(end), norm(rod), axis.rodLength ** 2 - (rod.z - rocker.z) ** 2);
    return angle(end) + axis.sign * between - angle(rod);
  }

  /** The pin at which cylinder, rocker and rod of a four-bar meet, in the frame of the parent link. */
  meeting(joint: number): Vector3 {
    const { axis, rod, rocker } = this;
    const c = Math.cos(joint), s = Math.sin(joint);
    const toRod = { x: c * rod.x - s * rod.y - rocker.x, y: s * rod.x + c * rod.y - rocker.y };
    const swing = corner(axis.rockerLength, norm(toRod), axis.rodLength ** 2 - (rod.z - rocker.z) ** 2);
    const at = angle(toRod) - axis.sign * swing;
    return new Vector3(
      rocker.x + axis.rockerLength * Math.cos(at),
      rocker.y + axis.rockerLength * Math.sin(at),
      rocker.z,
    ).applyMatrix4(this.frame);
  }
}

/** The coordinate of a joint whose two links are known. */
export function jointCoordinate(machine: Machine, index: number, parent: Matrix4, child: Matrix4): number {
  const joint = machine.joints[index]!;
  const relative = parent.clone().multiply(joint.origin).invert().multiply(child);
  const position = new Vector3(), rotation = new Quaternion();
  relative.decompose(position, rotation, new Vector3());
  if (joint.kind === "prismatic") return position.dot(joint.axis);
  const along = new Vector3(rotation.x, rotation.y, rotation.z).dot(joint.axis);
  const turn = 2 * Math.atan2(along, rotation.w);
  return turn > Math.PI ? turn - 2 * Math.PI : turn < -Math.PI ? turn + 2 * Math.PI : turn;
}

/** Pitch raises the front, roll the left side. */
export function tilt(pitch: number, roll: number): Matrix4 {
  const rotation = new Quaternion()
    .setFromAxisAngle(new Vector3(0, -1, 0), pitch)
    .multiply(new Quaternion().setFromAxisAngle(new Vector3(1, 0, 0), roll));
  return new Matrix4().makeRotationFromQuaternion(rotation);
}

/** World poses of all links from joint coordinates. */
export function placeLinks(machine: Machine, coordinates: number[], pitch = 0, roll = 0): Matrix4[] {
  const poses = [new Matrix4()];
  if (machine.tilted === 0) poses[0]!.multiply(tilt(pitch, roll));
  machine.joints.forEach((joint, i) => {
    const pose = poses[joint.parent]!.clone().multiply(joint.origin);
    const q = coordinates[i] ?? 0;
    if (joint.kind === "revolute") pose.multiply(new Matrix4().makeRotationAxis(joint.axis, q));
    else if (joint.kind === "prismatic")
      pose.multiply(new Matrix4().makeTranslation(joint.axis.clone().multiplyScalar(q)));
    if (machine.tilted === i + 1) pose.multiply(tilt(pitch, roll));
    poses.push(pose);
  });
  return poses;
}
