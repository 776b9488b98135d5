// A machine in the scene: links where they are told to be, and between them the cylinders, rockers and rods.
import * as THREE from "three";
import { Linkage, jointCoordinate, placeLinks } from "./linkage";
import type { Machine } from "./machine_file";
import { type Detail, type Paint, linkShape } from "./shapes";

const yAxis = new THREE.Vector3(0, 1, 0);

/** A bar with an eye at both ends, stretched between two points. */
class Strut {
  readonly group = new THREE.Group();
  private readonly from = new THREE.Vector3();
  private readonly along = new THREE.Vector3();
  private readonly rod: THREE.Mesh | null;

  /** With `barrel` the strut is a cylinder: a barrel of that length, and a rod that slides out of it. */
  constructor(
    radius: number,
    private readonly barrel: number,
    paint: Paint,
    sides: number,
    axis: THREE.Vector3,
  ) {
    const bar = (r: number, material: THREE.Material) => {
      const mesh = new THREE.Mesh(new THREE.CylinderGeometry(r, r, 1, sides).translate(0, 0.5, 0), material);
      this.group.add(mesh);
      return mesh;
    };
    if (barrel > 0) {
      const tube = bar(radius, paint.barrel);
      tube.scale.y = barrel;
      const gland = new THREE.Mesh(new THREE.CylinderGeometry(radius * 1.16, radius * 1.16, 0.09, sides), paint.pin);
      gland.position.y = barrel - 0.05;
      this.group.add(gland);
      this.rod = bar(radius * 0.58, paint.chrome);
    } else {
      this.rod = bar(radius, paint.body);
    }
    this.axis = axis;
    this.eyes = [0, 1].map(() => {
      const eye = new THREE.Mesh(new THREE.CylinderGeometry(radius * 1.35, radius * 1.35, radius * 2.1, sides), paint.pin);
      this.group.add(eye);
      return eye;
    });
    this.group.traverse((o) => {
      o.castShadow = true;
      o.receiveShadow = true;
    });
  }
  private readonly axis: THREE.Vector3;
  private readonly eyes: THREE.Mesh[];

  /** Between two points in the world; the eyes turn about the axis. */
  stretch(from: THREE.Vector3, to: THREE.Vector3, turn: THREE.Quaternion): void {
    this.from.copy(from);
    this.along.subVectors(to, from);
    const length = this.along.length();
    if (!(length > 1e-6)) return;
    this.group.position.copy(from);
    this.group.quaternion.setFromUnitVectors(yAxis, this.along.divideScalar(length));
    if (this.rod) {
      const start = this.barrel > 0 ? Math.min(this.barrel, length) - 0.02 : 0;
      this.rod.position.y = start;
      this.rod.scale.y = Math.max(0.001, length - start);
    }
    const across = this.axis.clone().applyQuaternion(turn).applyQuaternion(this.group.quaternion.clone().invert());
    this.eyes.forEach((eye, i) => {
      eye.position.y = i === 0 ? 0 : length;
      eye.quaternion.setFromUnitVectors(yAxis, across);
    });
  }
}

interface Drive {
  linkage: Linkage;
  cylinder: Strut;
  rocker: Strut[];
  rod: Strut[];
  axis: THREE.Vector3;
}

export class MachineModel {
  readonly group = new THREE.Group();
  readonly links: THREE.Group[];
  readonly poses: THREE.Matrix4[];
  private readonly drives: Drive[] = [];
  private readonly linkages: Linkage[];

  constructor(
    readonly machine: Machine,
    paint: Paint,
    detail: Detail,
    files: string,
    missing: (text: string) => void,
  ) {
    this.poses = placeLinks(machine, this.startCoordinates());
    this.linkages = machine.axes.map((axis) => new Linkage(axis, machine));
    this.links = machine.links.map((_, i) => {
      const shape = linkShape(machine, i, { material: this.materialOf(i, paint), paint, detail, files, missing });
      shape.matrixAutoUpdate = false;
      shape.name = machine.links[i]!.name;
      this.group.add(shape);
      return shape;
    });
    for (const linkage of this.linkages) {
      const { axis } = linkage;
      if (axis.kind === "drive") continue;
      const joint = machine.joints[axis.joint]!;
      const across = joint.axis.clone().applyMatrix4(new THREE.Matrix4().extractRotation(joint.origin));
      const radius = Math.min(0.085, Math.max(0.035, 0.05 * (axis.closedLength + 0.2)));
      const drive: Drive = {
        linkage,
        cylinder: new Strut(radius, axis.closedLength - 0.09, paint, detail.sides, across),
        rocker: [],
        rod: [],
        axis: across,
      };
      this.group.add(drive.cylinder.group);
      if (axis.kind === "four_bar")
        for (const list of [drive.rocker, drive.rod])
          for (let side = 0; side < 2; ++side) {
            const strut = new Strut(0.04, 0, paint, detail.sides, across);
            list.push(strut);
            this.group.add(strut.group);
          }
      this.drives.push(drive);
    }
    this.place(this.poses);
  }

  /** The middle of each joint's range: what is shown before anything is known. */
  private startCoordinates(): number[] {
    return this.machine.joints.map((j) => (Number.isFinite(j.lower + j.upper) ? (j.lower + j.upper) / 2 : 0));
  }

  private materialOf(link: number, paint: Paint): THREE.Material {
    const { machine } = this;
    let arms = 0;
    for (let i = link; i > 0; i = machine.joints[i - 1]!.parent) {
      if (machine.tool && i === machine.tool.link) return paint.tool;
      if (machine.joints[i - 1]!.kind === "revolute") ++arms;
    }
    return arms > 1 ? paint.body : paint.frame;
  }

  /** World poses of all links, rows x y z qx qy qz qw. */
  placeRows(rows: ArrayLike<number>): void {
    const count = Math.min(this.poses.length, Math.floor(rows.length / 7));
    const position = new THREE.Vector3(), rotation = new THREE.Quaternion(), one = new THREE.Vector3(1, 1, 1);
    for (let i = 0; i < count; ++i) {
      const at = 7 * i;
      position.set(rows[at]!, rows[at + 1]!, rows[at + 2]!);
      rotation.set(rows[at + 3]!, rows[at + 4]!, rows[at + 5]!, rows[at + 6]!);
      if (rotation.lengthSq() < 0.5) return; // not calculated yet
      this.poses[i]!.compose(position, rotation.normalize(), one);
    }
    this.place(this.poses);
  }

  placeJoints(coordinates: number[], pitch = 0, roll = 0): void {
    this.place(placeLinks(this.machine, coordinates, pitch, roll));
  }

  linkage(name: string): Linkage | undefined {
    return this.linkages.find((l) => l.axis.name === name);
  }

  private place(poses: THREE.Matrix4[]): void {
    poses.forEach((pose, i) => {
      this.poses[i]!.copy(pose);
      this.links[i]!.matrix.copy(pose);
      this.links[i]!.matrixWorldNeedsUpdate = true;
    });
    for (const drive of this.drives) this.stretch(drive);
    this.group.updateMatrixWorld(true);
  }

  private stretch({ linkage, cylinder, rocker, rod, axis }: Drive): void {
    const joint = this.machine.joints[linkage.axis.joint]!;
    const parent = this.poses[joint.parent]!, child = this.poses[linkage.axis.joint + 1]!;
    const turn = new THREE.Quaternion().setFromRotationMatrix(parent);
    const base = linkage.axis.base.clone().applyMatrix4(parent);
    const end = linkage.axis.rod.clone().applyMatrix4(child);
    if (linkage.axis.kind === "cylinder") {
      cylinder.stretch(base, end, turn);
      return;
    }
    const meeting = linkage
      .meeting(jointCoordinate(this.machine, linkage.axis.joint, parent, child))
      .applyMatrix4(parent);
    cylinder.stretch(base, meeting, turn);
    const pivot = linkage.axis.rocker.clone().applyMatrix4(parent);
    const aside = axis.clone().applyQuaternion(turn);
    [-1, 1].forEach((side, i) => {
      const shift = aside.clone().multiplyScalar(0.13 * side);
      rocker[i]?.stretch(pivot.clone().add(shift), meeting.clone().add(shift), turn);
      rod[i]?.stretch(meeting.clone().addScaledVector(shift, 0.75), end.clone().addScaledVector(shift, 0.75), turn);
    });
  }
}
