// Cameras: bound to links of the machine, or free.
import * as THREE from "three";
import type { CameraInfo } from "../data/system";
import type { Stage } from "./stage";

export type Lens = THREE.PerspectiveCamera | THREE.OrthographicCamera;

/** A camera that knows where to stand in this moment. */
export interface View {
  name: string;
  label: string;
  orthographic: boolean;
  place(lens: Lens, aspect: number): void;
}

function aim(lens: Lens, from: THREE.Vector3, to: THREE.Vector3, up = new THREE.Vector3(0, 0, 1)): void {
  lens.up.copy(up);
  lens.position.copy(from);
  lens.lookAt(to);
}

function project(lens: Lens, aspect: number, fov: number, height: number): void {
  if (lens instanceof THREE.PerspectiveCamera) {
    lens.fov = fov;
    lens.aspect = aspect;
  } else {
    lens.top = height / 2;
    lens.bottom = -height / 2;
    lens.right = (height / 2) * aspect;
    lens.left = -lens.right;
  }
  lens.updateProjectionMatrix();
}

/** The heading of the machine's frame: x forward, y left, both level. */
function heading(stage: Stage): { forward: THREE.Vector3; left: THREE.Vector3 } {
  const model = stage.machine();
  const pose = model?.poses[model.machine.tilted];
  const forward = new THREE.Vector3(1, 0, 0);
  if (pose) forward.transformDirection(pose);
  forward.z = 0;
  if (forward.lengthSq() < 1e-6) forward.set(1, 0, 0);
  forward.normalize();
  return { forward, left: new THREE.Vector3(-forward.y, forward.x, 0) };
}

/** The link that carries the arms: where an operator sits. */
function platform(stage: Stage): THREE.Matrix4 {
  const model = stage.machine();
  if (!model) return new THREE.Matrix4();
  const { machine, poses } = model;
  const named = machine.links.findIndex((l) => /platform|cab|upper|turret/i.test(l.name));
  if (named > 0) return poses[named]!;
  return poses[machine.tilted] ?? poses[0]!;
}

function toolPoint(stage: Stage): THREE.Vector3 {
  const tool = stage.tool();
  return tool ? new THREE.Vector3().setFromMatrixPosition(tool) : stage.focus();
}

export class Orbit implements View {
  readonly name = "orbit";
  readonly label = "Orbit";
  readonly orthographic = false;
  readonly target = new THREE.Vector3();
  azimuth = -0.9;
  elevation = 0.36;
  distance = 11;
  private moved = false;

  constructor(private readonly stage: Stage) {}

  /** Until somebody moves it, it looks at the machine from where it shows best. */
  private start(): void {
    const { forward, left } = heading(this.stage);
    this.target.copy(this.stage.focus()).add(new THREE.Vector3(0, 0, 0.35));
    const from = left.clone().multiplyScalar(0.86).addScaledVector(forward, 0.42);
    this.azimuth = Math.atan2(from.y, from.x);
    this.elevation = 0.3;
    this.distance = this.stage.wall ? 12.5 : 11.5;
  }
  turn(dx: number, dy: number): void {
    this.moved = true;
    this.azimuth -= dx;
    this.elevation = Math.min(1.55, Math.max(-1.2, this.elevation + dy));
  }
  zoom(factor: number): void {
    this.moved = true;
    this.distance = Math.min(400, Math.max(0.4, this.distance * factor));
  }
  pan(dx: number, dy: number): void {
    this.moved = true;
    const right = new THREE.Vector3(-Math.sin(this.azimuth), Math.cos(this.azimuth), 0);
    const up = this.direction().cross(right);
    this.target.addScaledVector(right, -dx * this.distance).addScaledVector(up, dy * this.distance);
  }
  /** Takes over where another camera stands. */
  takeFrom(lens: Lens, target: THREE.Vector3): void {
    this.moved = true;
    this.target.copy(target);
    const offset = lens.position.clone().sub(target);
    this.distance = Math.max(0.5, offset.length());
    this.azimuth = Math.atan2(offset.y, offset.x);
    this.elevation = Math.asin(Math.min(1, Math.max(-1, offset.z / this.distance)));
  }
  reset(): void {
    this.moved = false;
  }
  private direction(): THREE.Vector3 {
    return new THREE.Vector3(
      Math.cos(this.elevation) * Math.cos(this.azimuth),
      Math.cos(this.elevation) * Math.sin(this.azimuth),
      Math.sin(this.elevation),
    );
  }
  place(lens: Lens, aspect: number): void {
    if (!this.moved) this.start();
    aim(lens, this.target.clone().addScaledVector(this.direction(), this.distance), this.target);
    project(lens, aspect, 42, 10);
  }
}

export function builtInViews(stage: Stage): View[] {
  return [
    {
      name: "operator",
      label: "Operator",
      orthographic: false,
      place(lens, aspect) {
        const { forward, left } = heading(stage);
        const seat = new THREE.Vector3().setFromMatrixPosition(platform(stage));
        const eye = seat.addScaledVector(forward, -0.9).addScaledVector(left, 0.95).add(new THREE.Vector3(0, 0, 1.75));
        aim(lens, eye, toolPoint(stage).add(new THREE.Vector3(0, 0, 0.5)));
        project(lens, aspect, 62, 8);
      },
    },
    {
      name: "tool",
      label: "Tool",
      orthographic: false,
      place(lens, aspect) {
        const { forward, left } = heading(stage);
        const at = toolPoint(stage);
        const eye = at.clone().addScaledVector(forward, 1.5).addScaledVector(left, 2.9).add(new THREE.Vector3(0, 0, 1.1));
        aim(lens, eye, at.add(new THREE.Vector3(0, 0, 0.25)));
        project(lens, aspect, 46, 4);
      },
    },
    {
      name: "bird",
      label: "Bird",
      orthographic: false,
      place(lens, aspect) {
        const { forward, left } = heading(stage);
        const at = stage.focus();
        const eye = at.clone().addScaledVector(forward, -4).addScaledVector(left, 3).add(new THREE.Vector3(0, 0, 14));
        aim(lens, eye, at.addScaledVector(forward, 1), forward);
        project(lens, aspect, 44, 16);
      },
    },
    {
      name: "side",
      label: "Side (orthographic)",
      orthographic: true,
      place(lens, aspect) {
        const { forward, left } = heading(stage);
        const at = stage.focus().addScaledVector(forward, 0.4).add(new THREE.Vector3(0, 0, 0.2));
        aim(lens, at.clone().addScaledVector(left, 25), at);
        project(lens, aspect, 40, Math.max(8.4, 11 / aspect));
      },
    },
  ];
}

/** A camera the system describes: in the frame of a link, or of the world. */
export function describedView(stage: Stage, info: CameraInfo): View {
  return {
    name: info.name,
    label: info.name.charAt(0).toUpperCase() + info.name.slice(1),
    orthographic: info.orthographic ?? false,
    place(lens, aspect) {
      const frame = stage.link(info.machine, info.link) ?? new THREE.Matrix4();
      const from = new THREE.Vector3(...info.from).applyMatrix4(frame);
      const to = new THREE.Vector3(...info.to).applyMatrix4(frame);
      const direction = to.clone().sub(from).normalize();
      aim(lens, from, to, Math.abs(direction.z) > 0.95 ? heading(stage).forward : new THREE.Vector3(0, 0, 1));
      project(lens, aspect, info.fov ?? 55, info.fov ?? from.distanceTo(to)); // of an orthographic one: metres from top to bottom
    },
  };
}
