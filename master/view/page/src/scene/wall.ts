// The ring of a cooling tower: the shell below, the wall that still stands, what was lowered already, and the segment
// that is being demolished, whose heights are data.
import * as THREE from "three";
import { concrete, fracture } from "./materials";
import { distanceTo, thinned } from "./wall_shape";

export interface Ring {
  radius: number; // of the inner face
  thickness: number;
  start: number;
  span: number;
  base: number;
  height: number;
  floor: number;
}

/** How finely the wall is drawn. */
export interface WallDetail {
  /** Heights that lie so near to a straight line are drawn as one, m. */
  tolerance: number;
  /** Of the standing ring, per facet, rad; and facets from the top to the ground. */
  turn: number;
  levels: number;
}
export const fineWall: WallDetail = { tolerance: 1e-3, turn: 0.05, levels: 9 };
export const coarseWall: WallDetail = { tolerance: 2e-2, turn: 0.075, levels: 5 };

/** The most that one facet of the segment turns, rad: 2 mm from the arc at a radius of 30 m. */
const mostTurn = 0.023;

/** One texture tile in metres. */
const tileWidth = 4, tileHeight = 2;

export class Wall {
  readonly group = new THREE.Group();
  private readonly segment: THREE.Mesh;
  private readonly broken: THREE.Mesh;
  private columns = 0;
  private rows = 0;
  heights: Float32Array | null = null;

  constructor(
    readonly ring: Ring,
    private readonly detail: WallDetail,
  ) {
    const face = new THREE.MeshLambertMaterial({ map: concrete(), side: THREE.DoubleSide });
    const top = new THREE.MeshLambertMaterial({ map: fracture(), side: THREE.DoubleSide });
    this.segment = new THREE.Mesh(new THREE.BufferGeometry(), face);
    this.broken = new THREE.Mesh(new THREE.BufferGeometry(), top);
    for (const mesh of [this.segment, this.broken]) {
      mesh.castShadow = mesh.receiveShadow = true;
      mesh.frustumCulled = false;
      this.group.add(mesh);
    }
    this.segment.name = "wall";
    this.broken.name = "wall";
    const { start, span, base, height } = ring;
    const full = base + height;
    // Ahead of the segment the wall stands for half the ring; behind it the ring is lowered to the target line.
    this.add(shell(ring, detail, start, start + span, base), face);
    this.add(shell(ring, detail, start + span, start + span + Math.PI, full), face);
    this.add(shell(ring, detail, start + span + Math.PI, start + 2 * Math.PI, 0), face);
    this.add(targetLine(ring), null);
    this.update(new Float32Array(2 * 2).fill(height), 2, 2);
  }

  private add(object: THREE.Mesh | THREE.BufferGeometry | THREE.Line, material: THREE.Material | null): void {
    const mesh = object instanceof THREE.BufferGeometry ? new THREE.Mesh(object, material!) : object;
    mesh.receiveShadow = true; // what stands here throws no shadow on what can be seen from the rim
    mesh.name = "wall";
    this.group.add(mesh);
  }

  /** Heights above the base, column by column along the rim, rows from the inner face outwards. */
  update(heights: Float32Array, columns: number, rows: number): void {
    if (columns < 2 || rows < 2 || heights.length < columns * rows) return;
    if (columns !== this.columns || rows !== this.rows) this.allocate(columns, rows);
    this.heights = heights;
    const { radius, thickness, start, span, base } = this.ring;
    const faces = this.segment.geometry.getAttribute("position") as THREE.BufferAttribute;
    const tops = this.broken.geometry.getAttribute("position") as THREE.BufferAttribute;
    const uv = this.segment.geometry.getAttribute("uv") as THREE.BufferAttribute;
    for (let i = 0; i < columns; ++i) {
      const azimuth = start + (span * i) / (columns - 1);
      const c = Math.cos(azimuth), s = Math.sin(azimuth);
      const inner = base + heights[i * rows]!, outer = base + heights[i * rows + rows - 1]!;
      const r = radius + thickness;
      faces.setXYZ(4 * i, radius * c, radius * s, base);
      faces.setXYZ(4 * i + 1, radius * c, radius * s, inner);
      faces.setXYZ(4 * i + 2, r * c, r * s, base);
      faces.setXYZ(4 * i + 3, r * c, r * s, outer);
      const along = (azimuth * radius) / tileWidth;
      uv.setXY(4 * i, along, base / tileHeight);
      uv.setXY(4 * i + 1, along, inner / tileHeight);
      uv.setXY(4 * i + 2, along, base / tileHeight);
      uv.setXY(4 * i + 3, along, outer / tileHeight);
      for (let k = 0; k < rows; ++k) {
        const at = radius + (thickness * k) / (rows - 1);
        tops.setXYZ(i * rows + k, at * c, at * s, base + heights[i * rows + k]!);
      }
    }
    faces.needsUpdate = tops.needsUpdate = uv.needsUpdate = true;
    this.span(thinned(heights, columns, rows, this.detail.tolerance, Math.max(1, Math.floor((mostTurn * (columns - 1)) / span))));
    this.segment.geometry.computeVertexNormals();
    this.broken.geometry.computeVertexNormals();
  }

  private allocate(columns: number, rows: number): void {
    this.columns = columns;
    this.rows = rows;
    const faces = new THREE.BufferGeometry();
    faces.setAttribute("position", new THREE.BufferAttribute(new Float32Array(12 * columns), 3));
    faces.setAttribute("uv", new THREE.BufferAttribute(new Float32Array(8 * columns), 2));
    faces.setIndex(new THREE.BufferAttribute(new Uint32Array(12 * columns), 1)); // four triangles from column to column, and both ends
    this.segment.geometry.dispose();
    this.segment.geometry = faces;

    const tops = new THREE.BufferGeometry();
    const { thickness, radius, span } = this.ring;
    const uv = new Float32Array(2 * columns * rows);
    for (let i = 0; i < columns; ++i)
      for (let k = 0; k < rows; ++k) {
        uv[2 * (i * rows + k)] = (radius * span * i) / (columns - 1) / 0.5;
        uv[2 * (i * rows + k) + 1] = (thickness * k) / (rows - 1) / 0.5;
      }
    tops.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * columns * rows), 3));
    tops.setAttribute("uv", new THREE.BufferAttribute(uv, 2));
    tops.setIndex(new THREE.BufferAttribute(new Uint32Array(6 * (columns - 1) * (rows - 1)), 1));
    this.broken.geometry.dispose();
    this.broken.geometry = tops;
  }

  /** Triangles between the columns that are drawn. */
  private span(kept: number[]): void {
    const { rows } = this;
    const faces: number[] = [], tops: number[] = [];
    const quad = (to: number[], a: number, b: number, c: number, d: number) => to.push(a, b, c, b, d, c);
    for (let i = 0; i + 1 < kept.length; ++i) {
      const from = kept[i]!, to = kept[i + 1]!;
      const a = 4 * from, b = 4 * to;
      quad(faces, a, a + 1, b, b + 1);
      quad(faces, b + 2, b + 3, a + 2, a + 3);
      for (let k = 0; k + 1 < rows; ++k) quad(tops, from * rows + k, from * rows + k + 1, to * rows + k, to * rows + k + 1);
    }
    quad(faces, 2, 3, 0, 1);
    const last = 4 * (this.columns - 1);
    quad(faces, last, last + 1, last + 2, last + 3);
    for (const [geometry, triangles] of [[this.segment.geometry, faces], [this.broken.geometry, tops]] as const) {
      const index = geometry.index!;
      (index.array as Uint32Array).fill(0).set(triangles);
      index.needsUpdate = true;
      geometry.setDrawRange(0, triangles.length);
    }
  }

  /** Of a point to the wall that stands; null before it is known. */
  distance(point: THREE.Vector3): number | null {
    return this.heights ? distanceTo(this.ring, { heights: this.heights, columns: this.columns, rows: this.rows }, point) : null;
  }
}

/** Radius at a height: upright near the rim, widening like a hyperboloid towards the ground. */
function radiusAt(z: number, radius: number, floor: number): number {
  const upright = -4;
  if (z > upright) return radius;
  const t = (z - upright) / (floor - upright);
  return radius * Math.sqrt(1 + 0.85 * t * t) ;
}

/** A part of the tower between two azimuths, from the floor to its top. */
function shell(ring: Ring, { turn, levels }: WallDetail, from: number, to: number, top: number): THREE.BufferGeometry {
  const { floor } = ring;
  const columns = Math.max(2, Math.ceil((to - from) / turn) + 1);
  const position: number[] = [], uv: number[] = [], index: number[] = [];
  for (const side of [0, 1]) {
    const first = position.length / 3;
    for (let i = 0; i < columns; ++i) {
      const azimuth = from + ((to - from) * i) / (columns - 1);
      for (let k = 0; k <= levels; ++k) {
        const t = k / levels;
        const z = top + (floor - top) * t * t;
        const r = radiusAt(z, ring.radius, floor) + side * ring.thickness * (1 + 1.5 * t);
        position.push(r * Math.cos(azimuth), r * Math.sin(azimuth), z);
        uv.push((azimuth * ring.radius) / tileWidth, z / tileHeight);
        if (i + 1 < columns && k < levels) {
          const a = first + i * (levels + 1) + k, b = a + levels + 1;
          if (side === 0) index.push(a, a + 1, b, b, a + 1, b + 1);
          else index.push(a, b, a + 1, b, b + 1, a + 1);
        }
      }
    }
  }
  const cap = position.length / 3;
  for (let i = 0; i < columns; ++i) {
    const azimuth = from + ((to - from) * i) / (columns - 1);
    for (const side of [0, 1]) {
      const r = ring.radius + side * ring.thickness;
      position.push(r * Math.cos(azimuth), r * Math.sin(azimuth), top);
      uv.push((azimuth * ring.radius) / tileWidth, 0.05 + 0.05 * side);
    }
    if (i + 1 < columns) {
      const a = cap + 2 * i;
      index.push(a, a + 1, a + 2, a + 1, a + 3, a + 2);
    }
  }
  // The upright ends.
  for (const azimuth of [from, to]) {
    const a = position.length / 3;
    for (const z of [top, Math.max(floor, top - 4)])
      for (const side of [0, 1]) {
        const r = ring.radius + side * ring.thickness;
        position.push(r * Math.cos(azimuth), r * Math.sin(azimuth), z);
        uv.push(side * 0.05, z / tileHeight);
      }
    index.push(a, a + 1, a + 2, a + 1, a + 3, a + 2);
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(position, 3));
  geometry.setAttribute("uv", new THREE.Float32BufferAttribute(uv, 2));
  geometry.setIndex(index);
  geometry.computeVertexNormals();
  return geometry;
}

/** Down to where the segment is to be demolished. */
function targetLine(ring: Ring): THREE.Line {
  const points: THREE.Vector3[] = [];
  for (let i = 0; i <= 120; ++i) {
    const azimuth = ring.start + (ring.span * i) / 120;
    const r = ring.radius - 0.012;
    points.push(new THREE.Vector3(r * Math.cos(azimuth), r * Math.sin(azimuth), 0));
  }
  const line = new THREE.Line(
    new THREE.BufferGeometry().setFromPoints(points),
    new THREE.LineDashedMaterial({ color: "#ff5a3c", dashSize: 0.25, gapSize: 0.15 }),
  );
  line.computeLineDistances();
  return line;
}
