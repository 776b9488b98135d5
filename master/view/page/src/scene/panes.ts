// One to four panes on one canvas, each with its own camera; drawn only when something changed.
import * as THREE from "three";
import { type Lens, Orbit, type View, builtInViews, describedView } from "./cameras";
import type { Stage } from "./stage";

export interface Pane {
  view: View;
  orbit: Orbit;
  perspective: THREE.PerspectiveCamera;
  orthographic: THREE.OrthographicCamera;
  left: number; // in pixels of the page, from the canvas's corner
  top: number;
  width: number;
  height: number;
}

/** How much is spent on a picture; chosen by how long pictures take. */
const qualities = [
  { ratio: 2, shadowEvery: 1 },
  { ratio: 1, shadowEvery: 1 },
  { ratio: 0.85, shadowEvery: 2 },
  { ratio: 0.7, shadowEvery: 3 },
  { ratio: 0.5, shadowEvery: 4 },
];

/** So long after the last picture nothing moves, ms. */
const settleAfter = 250;

export class Panes {
  readonly renderer: THREE.WebGLRenderer;
  panes: Pane[] = [];
  views: View[];
  drawn = 0;
  quality = 1;
  qualityFixed = false;
  /** Milliseconds that the last pictures took. */
  cost = 0;
  private dirty = true;
  private started = false;
  private measured = 0; // pictures since the quality was looked at
  /** Pictures since shadows were cast anew. */
  shadowAge = Infinity;
  private resting = 0;
  onDrawn: () => void = () => {};
  /** The graphics process has done what the last picture asked for: there is time for another. */
  onFinished: () => void = () => {};
  onLayout: () => void = () => {};

  constructor(
    readonly stage: Stage,
    readonly canvas: HTMLCanvasElement,
  ) {
    const { modest } = stage;
    this.qualityFixed = stage.effort !== "auto";
    if (modest) this.quality = 2;
    // The browser puts an opaque picture on the page as it is, and would mix one that may be seen through with what lies below.
    const context = canvas.getContext("webgl2", { alpha: false, antialias: !modest, preserveDrawingBuffer: true, powerPreference: "high-performance" });
    this.renderer = new THREE.WebGLRenderer({ canvas, context: context ?? undefined });
    this.renderer.toneMapping = THREE.ACESFilmicToneMapping;
    this.renderer.toneMappingExposure = 1.05;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = modest ? THREE.BasicShadowMap : THREE.PCFShadowMap; // one look-up for each pixel, or many
    this.renderer.shadowMap.autoUpdate = false;
    this.renderer.autoClear = false;
    this.views = builtInViews(stage);
    for (const info of stage.system.view?.cameras ?? []) {
      const described = describedView(stage, info);
      const at = this.views.findIndex((v) => v.name === described.name);
      if (at >= 0) this.views[at] = described;
      else this.views.push(described);
    }
    if (modest) this.economise();
    else this.reflections();
    this.setCount(1);
    new ResizeObserver(() => {
      this.layout();
      if (this.started) this.draw(); // at once: a canvas of a new size is empty
    }).observe(canvas.parentElement!);
  }

  private economise(): void {
    this.stage.surroundings.sun.shadow.mapSize.set(1024, 1024);
    this.stage.scene.traverse((object) => {
      const material = object instanceof THREE.Mesh ? (object.material as THREE.MeshLambertMaterial) : null;
      if (material?.map) {
        material.map.anisotropy = 1;
        material.map.minFilter = THREE.LinearMipmapNearestFilter;
      }
      if (material instanceof THREE.MeshStandardMaterial) (object as THREE.Mesh).material = this.plain(material);
    });
  }

  private readonly plainMaterials = new Map<THREE.Material, THREE.Material>();

  /** The same colour without gloss, which costs the most of a surface. */
  private plain(material: THREE.MeshStandardMaterial): THREE.Material {
    let made = this.plainMaterials.get(material);
    const { color, transparent, opacity, depthWrite, map } = material;
    if (!made) this.plainMaterials.set(material, (made = new THREE.MeshLambertMaterial({ color, transparent, opacity, depthWrite, map })));
    return made;
  }

  /** Chrome and paint reflect the sky. */
  private reflections(): void {
    const maker = new THREE.PMREMGenerator(this.renderer);
    const sky = new THREE.Scene();
    const { surroundings, scene } = this.stage;
    sky.add(surroundings.sky.clone());
    const below = new THREE.Mesh(new THREE.CircleGeometry(9, 32), new THREE.MeshBasicMaterial({ color: "#6b6a63" }));
    below.position.z = -1.5;
    sky.add(below);
    scene.environment = maker.fromScene(sky, 0.02, 0.1, 20).texture;
    scene.environmentIntensity = 0.38;
    maker.dispose();
  }

  setCount(count: number): void {
    const wanted = Math.min(4, Math.max(1, count));
    const order = ["orbit", "operator", "tool", "side"];
    while (this.panes.length > wanted) this.panes.pop();
    while (this.panes.length < wanted) {
      const orbit = new Orbit(this.stage);
      const name = order[this.panes.length]!;
      this.panes.push({
        orbit,
        view: this.views.find((v) => v.name === name) ?? orbit,
        perspective: new THREE.PerspectiveCamera(45, 1, 0.1, 3000),
        orthographic: new THREE.OrthographicCamera(-1, 1, 1, -1, 0.1, 400),
        left: 0,
        top: 0,
        width: 1,
        height: 1,
      });
    }
    this.layout();
  }

  /** One pane for each camera. */
  chooseAll(names: string[]): void {
    this.setCount(names.length);
    this.panes.forEach((pane, i) => this.choose(pane, names[i]!));
  }

  choose(pane: Pane, name: string): void {
    if (name === "orbit") pane.orbit.reset();
    pane.view = this.views.find((v) => v.name === name) ?? pane.orbit;
    this.touch();
    this.onLayout();
  }

  layout(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement!;
    const n = this.panes.length;
    const columns = n === 1 ? 1 : 2, rows = n > 2 ? 2 : 1;
    this.panes.forEach((pane, i) => {
      const wide = n === 3 && i === 0;
      const column = n === 3 ? (i === 0 ? 0 : i - 1) : i % columns;
      const row = n === 3 ? (i === 0 ? 0 : 1) : Math.floor(i / columns);
      pane.left = Math.round((width * column) / columns);
      pane.top = Math.round((height * row) / rows);
      pane.width = wide ? width : Math.round((width * (column + 1)) / columns) - pane.left;
      pane.height = Math.round((height * (row + 1)) / rows) - pane.top;
    });
    this.applyQuality();
    this.touch();
    this.onLayout();
  }

  /** Every pixel is drawn, and every shadow with it, however long that takes. */
  sharpen(): void {
    this.quality = 1;
    this.qualityFixed = true;
    this.applyQuality();
  }

  applyQuality(): void {
    const { clientWidth, clientHeight } = this.canvas.parentElement!;
    const most = qualities[this.quality]!.ratio;
    this.renderer.setPixelRatio(most > 1 ? Math.min(most, devicePixelRatio) : most);
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.touch();
  }

  lens(pane: Pane): Lens {
    return pane.view.orthographic ? pane.orthographic : pane.perspective;
  }

  /** Something changed: a picture is wanted. */
  touch(): void {
    if (this.dirty) return;
    this.dirty = true;
    requestAnimationFrame(() => this.dirty && this.draw());
  }

  /** Something came that should be seen at once: for who asked for it when there was time for a picture. */
  update(): void {
    if (this.started) this.draw();
  }

  /** Begins to draw; until then everything is only prepared. */
  start(): void {
    this.dirty = false;
    this.started = true;
    this.touch();
  }

  /** At once. */
  draw(): void {
    this.dirty = false;
    const begun = performance.now();
    const { renderer, stage } = this;
    clearTimeout(this.resting);
    if (++this.shadowAge >= qualities[this.quality]!.shadowEvery) this.shadowAge = 0;
    renderer.shadowMap.needsUpdate = this.shadowAge === 0;
    renderer.setScissorTest(true);
    const height = this.canvas.parentElement!.clientHeight;
    for (const pane of this.panes) {
      if (pane.width < 2 || pane.height < 2) continue;
      const lens = this.lens(pane);
      pane.view.place(lens, pane.width / pane.height);
      const bottom = height - pane.top - pane.height;
      renderer.setViewport(pane.left, bottom, pane.width, pane.height);
      renderer.setScissor(pane.left, bottom, pane.width, pane.height);
      renderer.clear();
      renderer.render(stage.scene, lens);
    }
    renderer.setScissorTest(false);
    ++this.drawn;
    this.onDrawn();
    this.finish(() => {
      this.measure(performance.now() - begun);
      this.onFinished();
      if (this.shadowAge > 0) this.resting = window.setTimeout(() => this.settle(), settleAfter);
    });
  }

  /** Nothing moves any more: what was saved while it did is made up for. */
  private settle(): void {
    this.shadowAge = Infinity;
    this.draw();
  }

  /** Calls when all is drawn that was asked for: the browser lets pictures queue up, and each would be seen later by those before it. */
  private finish(done: () => void): void {
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    const fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    const look = () => {
      if (fence && gl.getSyncParameter(fence, gl.SYNC_STATUS) === gl.UNSIGNALED) return void setTimeout(look, 2);
      gl.deleteSync(fence);
      done();
    };
    setTimeout(look, 2);
  }

  private measure(time: number): void {
    this.cost += 0.12 * (time - this.cost);
    ++this.measured;
    if (this.qualityFixed || this.measured < (this.cost > 200 ? 4 : 24)) return;
    this.measured = 0;
    if (this.cost > 55 && this.quality < qualities.length - 1) {
      ++this.quality;
      this.applyQuality();
    } else if (this.cost < 20 && this.quality > 0 && devicePixelRatio > 1) {
      --this.quality;
      this.applyQuality();
    }
  }

  paneAt(x: number, y: number): Pane | null {
    return this.panes.find((p) => x >= p.left && x < p.left + p.width && y >= p.top && y < p.top + p.height) ?? null;
  }

  /** What lies under a place of a pane: the first surface that is machine, wall, ground or cloud. */
  pick(pane: Pane, x: number, y: number): THREE.Vector3 | null {
    const lens = this.lens(pane);
    const caster = new THREE.Raycaster();
    caster.params.Points.threshold = 0.03;
    const at = new THREE.Vector2((2 * (x - pane.left)) / pane.width - 1, 1 - (2 * (y - pane.top)) / pane.height);
    caster.setFromCamera(at, lens);
    const hits = caster.intersectObjects(this.stage.scene.children.filter((c) => c.visible), true);
    const hit = hits.find((h) => h.object.visible && (h.object instanceof THREE.Points || (h.object instanceof THREE.Mesh && h.object !== this.stage.surroundings.sky && !(h.object.material as THREE.Material).transparent)));
    return hit?.point ?? null;
  }
}
