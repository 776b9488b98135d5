// What the scene says in words: where the tool is, how far from the wall, how to align it, what is wrong.
import * as THREE from "three";
import type { Stage } from "./stage";

export interface Readings {
  /** Name and text of each; empty where there is no tool. */
  rows: [string, string][];
  advice: string;
  aligned: boolean;
  warning: string;
}

export function readings(stage: Stage, values: ArrayLike<number>): Readings {
  const tool = stage.tool();
  const found: Readings = { rows: [], advice: "", aligned: false, warning: warning(stage, values) };
  if (!tool) return found;
  const at = new THREE.Vector3().setFromMatrixPosition(tool);
  const known = stage.knows("machine");
  for (const axis of ["x", "y", "z"] as const) found.rows.push([`tool ${axis}`, known ? `${at[axis].toFixed(3)} m` : "–"]);
  if (!stage.wall) return found;
  const distance = known && stage.knows("wall") && !stage.system.view?.wall?.unknown ? stage.wall.distance(at) : null;
  found.rows.push(["to wall", distance === null ? "–" : distance < 0.005 ? "touching" : `${distance.toFixed(2)} m`]);
  if (!known) return found;
  const parts = corrections(tool, at, stage.wall.ring, stage.system.view?.tool?.offset);
  found.aligned = parts.length === 0;
  found.advice = found.aligned ? "Aligned with the wall" : `Align: ${parts.join(", ")}`;
  return found;
}

function warning(stage: Stage, values: ArrayLike<number>): string {
  const signals = stage.system.view?.tool;
  const value = (index: number | undefined) => (index === undefined ? NaN : (values[index] ?? NaN));
  if (value(signals?.collision) > 0.5) return "Collision";
  return value(signals?.inside) < 0.5 ? "An axis is at its end stop" : "";
}

/** How the tool has to turn so that its jaws close across the wall, and to move where it is known how far from the middle it belongs. */
function corrections(tool: THREE.Matrix4, at: THREE.Vector3, ring: { radius: number; thickness: number }, offset: number | undefined): string[] {
  const radial = new THREE.Vector3(at.x, at.y, 0).normalize();
  const x = new THREE.Vector3().setFromMatrixColumn(tool, 0);
  const z = new THREE.Vector3().setFromMatrixColumn(tool, 2);
  const level = new THREE.Vector3(x.x, x.y, 0).normalize();
  const yaw = Math.asin(Math.min(1, Math.max(-1, level.dot(radial))));
  const lean = Math.acos(Math.min(1, Math.max(-1, z.z)));
  const aside = offset === undefined ? 0 : Math.hypot(at.x, at.y) - ring.radius - ring.thickness / 2 + offset;
  const parts: string[] = [];
  if (Math.abs(yaw) > 0.035) parts.push(`turn ${degrees(yaw)} ${yaw > 0 ? "left" : "right"}`);
  if (lean > 0.06) parts.push(`upright by ${degrees(lean)}`);
  if (Math.abs(aside) > 0.04) parts.push(`${(100 * Math.abs(aside)).toFixed(0)} cm ${aside > 0 ? "inwards" : "outwards"}`);
  return parts;
}

const degrees = (radians: number) => `${Math.abs((radians * 180) / Math.PI).toFixed(0)}°`;
