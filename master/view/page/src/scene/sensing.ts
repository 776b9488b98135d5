// What the sensors see: the point cloud, the edge that was found in it, the field of view.
import * as THREE from "three";

export type CloudColors = "height" | "distance" | "object" | "off";

export interface CloudFrame {
  count: number;
  scale: number;
  pose: Float32Array; // x y z qx qy qz qw of the sensor
  points: Int16Array;
  objects: Uint8Array;
}

const objectColors = [new THREE.Color("#9aa4ad"), new THREE.Color("#2fd3c7"), new THREE.Color("#ff9f1c")];

/** Blue over green and yellow to red: a perceptually even run of hues (after Turbo, in five stops). */
const stops = ["#30305e", "#2f7fe0", "#26c9a4", "#b6e33a", "#ffb020", "#e5402a"].map((c) => new THREE.Color(c));
function ramp(t: number, into: THREE.Color): THREE.Color {
  const x = Math.min(0.9999, Math.max(0, t)) * (stops.length - 1);
  const i = Math.floor(x);
  return into.copy(stops[i]!).lerp(stops[i + 1]!, x - i);
}

export class Cloud {
  readonly points: THREE.Points;
  private capacity = 0;
  private last: CloudFrame | null = null;
  private colors: CloudColors = "height";
  count = 0;

  constructor() {
    const material = new THREE.PointsMaterial({ size: 0.045, vertexColors: true, sizeAttenuation: true, fog: false });
    this.points = new THREE.Points(new THREE.BufferGeometry(), material);
    this.points.frustumCulled = false;
    this.points.name = "cloud";
  }

  colorBy(colors: CloudColors): void {
    this.colors = colors;
    this.points.visible = colors !== "off";
    if (this.last) this.show(this.last);
  }

  show(frame: CloudFrame): void {
    this.last = frame;
    if (frame.count > this.capacity) {
      this.capacity = Math.ceil(frame.count * 1.2);
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * this.capacity), 3));
      geometry.setAttribute("color", new THREE.BufferAttribute(new Float32Array(3 * this.capacity), 3));
      this.points.geometry.dispose();
      this.points.geometry = geometry;
    }
    const place = this.points.geometry.getAttribute("position") as THREE.BufferAttribute | undefined;
    const paint = this.points.geometry.getAttribute("color") as THREE.BufferAttribute | undefined;
    if (!place || !paint) return;
    const p = frame.pose;
    const rotation = new THREE.Matrix4().makeRotationFromQuaternion(new THREE.Quaternion(p[3], p[4], p[5], p[6]).normalize()).elements;
    const color = new THREE.Color();
    let used = 0;
    for (let i = 0; i < frame.count; ++i) {
      const x = frame.points[3 * i]! * frame.scale, y = frame.points[3 * i + 1]! * frame.scale, z = frame.points[3 * i + 2]! * frame.scale;
      if (x === 0 && y === 0 && z === 0) continue; // no return
      const height = p[2]! + rotation[2]! * x + rotation[6]! * y + rotation[10]! * z;
      place.setXYZ(
        used,
        p[0]! + rotation[0]! * x + rotation[4]! * y + rotation[8]! * z,
        p[1]! + rotation[1]! * x + rotation[5]! * y + rotation[9]! * z,
        height,
      );
      if (this.colors === "object") color.copy(objectColors[Math.min(2, frame.objects[i]!)]!);
      else if (this.colors === "distance") ramp((Math.hypot(x, y, z) - 2) / 8, color);
      else ramp((height + 1) / 4, color);
      paint.setXYZ(used++, color.r, color.g, color.b);
    }
    this.count = used;
    this.points.geometry.setDrawRange(0, used);
    place.needsUpdate = paint.needsUpdate = true;
  }
}

export interface EdgeInfo {
  radius: number;
  start: number;
  span: number;
}

export class Edge {
  readonly group = new THREE.Group();
  private readonly line: THREE.LineSegments;
  private readonly dots: THREE.Points;
  heights: Float32Array | null = null;

  constructor(private readonly info: EdgeInfo) {
    this.line = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: "#ff2d6f", fog: false }));
    this.dots = new THREE.Points(new THREE.BufferGeometry(), new THREE.PointsMaterial({ color: "#ff2d6f", size: 0.07, fog: false }));
    this.line.frustumCulled = this.dots.frustumCulled = false;
    this.group.add(this.line, this.dots);
    this.group.name = "edge";
  }

  /** Heights above the frame at azimuths ahead of it; NaN or not valid: unknown there. */
  show(heights: Float32Array, valid: Float32Array | null, frame: THREE.Matrix4): void {
    this.heights = heights;
    const at = new THREE.Vector3().setFromMatrixPosition(frame);
    const azimuth = Math.atan2(at.y, at.x);
    const { start, span, radius } = this.info;
    const seen: THREE.Vector3[] = [], joined: THREE.Vector3[] = [];
    let before: THREE.Vector3 | null = null;
    for (let i = 0; i < heights.length; ++i) {
      const known = Number.isFinite(heights[i]!) && (!valid || valid[i]! > 0);
      const a = azimuth + start + (span * (i + 0.5)) / heights.length;
      const point = known ? new THREE.Vector3((radius - 0.03) * Math.cos(a), (radius - 0.03) * Math.sin(a), at.z + heights[i]!) : null;
      if (point) seen.push(point);
      if (point && before && Math.abs(point.z - before.z) < 0.3) joined.push(before, point);
      before = point;
    }
    this.line.geometry.dispose();
    this.line.geometry = new THREE.BufferGeometry().setFromPoints(joined);
    this.dots.geometry.dispose();
    this.dots.geometry = new THREE.BufferGeometry().setFromPoints(seen);
  }
}

export interface LidarInfo {
  fov: number;
  range: number;
  first: number;
  second: number;
  ratio: number;
}

/** The cone of rays about the sensor's x axis, and the curve the rays draw in it. */
export function fieldOfView(info: LidarInfo): THREE.Group {
  const group = new THREE.Group();
  const reach = Math.min(info.range, 6);
  const rim = reach * Math.tan(info.fov / 2);
  const cone = new THREE.Mesh(
    new THREE.ConeGeometry(rim, reach, 64, 1, true).translate(0, -reach / 2, 0).rotateZ(Math.PI / 2),
    new THREE.MeshBasicMaterial({ color: "#38c8ff", transparent: true, opacity: 0.045, side: THREE.DoubleSide, depthWrite: false, fog: false }),
  );
  const pattern: THREE.Vector3[] = [];
  const ring: THREE.Vector3[] = [];
  for (let i = 0; i <= 900; ++i) {
    const t = i / 900 / 10; // a tenth of a second of the scan
    const a = 2 * Math.PI * info.first * t, b = -2 * Math.PI * info.second * t;
    const share = 1 / (1 + info.ratio);
    pattern.push(
      new THREE.Vector3(reach, rim * share * (Math.cos(a) + info.ratio * Math.cos(b)), rim * share * (Math.sin(a) + info.ratio * Math.sin(b))),
    );
    ring.push(new THREE.Vector3(reach, rim * Math.cos((2 * Math.PI * i) / 900), rim * Math.sin((2 * Math.PI * i) / 900)));
  }
  const stroke = (points: THREE.Vector3[], opacity: number) =>
    new THREE.Line(
      new THREE.BufferGeometry().setFromPoints(points),
      new THREE.LineBasicMaterial({ color: "#38c8ff", transparent: true, opacity, fog: false }),
    );
  group.add(cone, stroke(pattern, 0.14), stroke(ring, 0.4));
  group.matrixAutoUpdate = false;
  group.name = "field of view";
  return group;
}
