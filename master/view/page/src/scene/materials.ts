// Materials and textures, all made here: nothing is loaded.
import * as THREE from "three";
import type { Paint } from "../machine/shapes";

/** The same random numbers every time: two pictures of one state are the same picture. */
export function random(seed: number): () => number {
  // Weyl sequence and a mixing step (Steele, Lea and Flood 2014): numbers that follow each other make no pattern.
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 4294967296;
  };
}

function canvas(width: number, height: number): CanvasRenderingContext2D {
  const element = document.createElement("canvas");
  element.width = width;
  element.height = height;
  return element.getContext("2d", { willReadFrequently: true })!; // drawn once, by the processor
}

function texture(context: CanvasRenderingContext2D): THREE.CanvasTexture {
  const made = new THREE.CanvasTexture(context.canvas);
  made.wrapS = made.wrapT = THREE.RepeatWrapping;
  made.colorSpace = THREE.SRGBColorSpace;
  made.anisotropy = 8;
  return made;
}

function speckle(c: CanvasRenderingContext2D, count: number, size: number, alpha: number, next: () => number): void {
  const { width, height } = c.canvas;
  for (let i = 0; i < count; ++i) {
    const dark = next() < 0.5;
    c.fillStyle = dark ? `rgba(50,46,42,${alpha * next()})` : `rgba(255,252,245,${alpha * next()})`;
    const r = size * (0.3 + next());
    const x = next() * width, y = next() * height;
    // Drawn again across the border, so that the tiles join.
    for (const dx of [0, x < r ? width : x > width - r ? -width : 0])
      for (const dy of [0, y < r ? height : y > height - r ? -height : 0]) {
        if (r < 4) c.fillRect(x + dx, y + dy, 1.4 * r, r);
        else {
          c.beginPath();
          c.arc(x + dx, y + dy, r, 0, 7);
          c.fill();
        }
        if (dx === 0 && dy === 0 && x > r && x < width - r && y > r && y < height - r) break;
      }
  }
}

/** Concrete cast in lifts: 4 m x 2 m with formwork lines, anchor holes and streaks. */
export function concrete(): THREE.CanvasTexture {
  const c = canvas(1024, 512);
  const next = random(7);
  c.fillStyle = "#b9b5ab";
  c.fillRect(0, 0, 1024, 512);
  speckle(c, 160, 55, 0.03, next);
  speckle(c, 2600, 3, 0.22, next);
  for (let i = 0; i < 46; ++i) {
    const x = next() * 1024;
    const streak = c.createLinearGradient(0, 0, 0, 512);
    streak.addColorStop(0, `rgba(60,55,48,${0.05 + 0.12 * next()})`);
    streak.addColorStop(1, "rgba(60,55,48,0)");
    c.fillStyle = streak;
    c.fillRect(x, 0, 4 + 26 * next(), 300 + 212 * next());
  }
  c.strokeStyle = "rgba(55,52,48,0.42)";
  c.lineWidth = 3;
  for (const y of [1.5, 257.5]) line(c, 0, y, 1024, y);
  c.lineWidth = 1.5;
  c.strokeStyle = "rgba(55,52,48,0.26)";
  for (let x = 0; x < 1024; x += 256) line(c, x + 1, 0, x + 1, 512);
  c.fillStyle = "rgba(45,42,38,0.6)";
  for (let x = 128; x < 1024; x += 256) for (const y of [128, 384]) {
    c.beginPath();
    c.arc(x, y, 5, 0, 7);
    c.fill();
  }
  return texture(c);
}

/** Broken concrete: aggregate in a light matrix. */
export function fracture(): THREE.CanvasTexture {
  const c = canvas(256, 256);
  const next = random(23);
  c.fillStyle = "#c9c0b0";
  c.fillRect(0, 0, 256, 256);
  speckle(c, 500, 9, 0.35, next);
  speckle(c, 900, 3, 0.5, next);
  return texture(c);
}

/** Ground far below: fields, gravel, tracks; one tile is about 120 m. */
export function land(): THREE.CanvasTexture {
  const c = canvas(1024, 1024);
  const next = random(41);
  c.fillStyle = "#7d8263";
  c.fillRect(0, 0, 1024, 1024);
  for (let i = 0; i < 60; ++i) {
    c.fillStyle = ["rgba(120,126,84,0.5)", "rgba(150,142,104,0.45)", "rgba(96,110,74,0.5)", "rgba(138,128,100,0.4)"][i % 4]!;
    c.save();
    c.translate(next() * 1024, next() * 1024);
    c.rotate(0.3 + Math.floor(next() * 4) * (Math.PI / 2));
    c.fillRect(-90, -60, 100 + 200 * next(), 60 + 140 * next());
    c.restore();
  }
  speckle(c, 5000, 4, 0.12, next);
  return texture(c);
}

/** A floor of concrete slabs for systems whose ground is near. */
export function slabs(): THREE.CanvasTexture {
  const c = canvas(512, 512);
  const next = random(3);
  c.fillStyle = "#9a9b99";
  c.fillRect(0, 0, 512, 512);
  speckle(c, 200, 40, 0.05, next);
  speckle(c, 1500, 2, 0.2, next);
  c.strokeStyle = "rgba(50,52,55,0.45)";
  c.lineWidth = 3;
  for (const at of [1.5, 257.5]) {
    line(c, 0, at, 512, at);
    line(c, at, 0, at, 512);
  }
  return texture(c);
}

function line(c: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  c.beginPath();
  c.moveTo(x1, y1);
  c.lineTo(x2, y2);
  c.stroke();
}

const standard = (color: THREE.ColorRepresentation, roughness: number, metalness: number) =>
  new THREE.MeshStandardMaterial({ color, roughness, metalness });

export function machinePaint(): Paint {
  const made = new Map<string, THREE.Material>();
  return {
    body: standard("#f2a10f", 0.46, 0.12),
    frame: standard("#3a4048", 0.55, 0.35),
    tool: standard("#4c5158", 0.42, 0.6),
    pin: standard("#2c3036", 0.4, 0.7),
    barrel: standard("#30353c", 0.38, 0.45),
    chrome: standard("#dfe4ea", 0.16, 0.95),
    of(color) {
      let material = made.get(color);
      if (!material) made.set(color, (material = standard(color, 0.5, 0.25)));
      return material;
    },
  };
}

/** A second machine beside the first one, seen through. */
export function ghostPaint(color: string): Paint {
  const ghost = new THREE.MeshStandardMaterial({ color, transparent: true, opacity: 0.34, roughness: 0.6, depthWrite: false });
  return { body: ghost, frame: ghost, tool: ghost, pin: ghost, barrel: ghost, chrome: ghost, of: () => ghost };
}
