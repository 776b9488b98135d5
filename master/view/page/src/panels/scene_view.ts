// The scene with what lies over it: names of the cameras, switches, coordinates, warnings, distances.
import * as THREE from "three";
import { button, choice, element, readable, toggle } from "../dom";
import { type Effort, type Pane, Panes } from "../scene/panes";
import type { CloudColors } from "../scene/sensing";
import type { Stage } from "../scene/stage";
import { steer } from "../scene/steering";

export class SceneView {
  readonly root = element("div", { style: "position:absolute;inset:0" });
  readonly panes: Panes;
  private readonly frames: HTMLElement[] = [];
  private readonly hud = element("dl", { class: "hud glass", "aria-label": "Tool" });
  private readonly below = element("div", { class: "below" });
  private readonly collision = element("div", { class: "warning", role: "alert", hidden: true });
  private readonly values = new Map<string, HTMLElement>();
  private readonly advice = element("dd", { class: "advice" });
  private readonly ruler: Ruler;
  private readonly measureButton: HTMLButtonElement;
  private readonly count: HTMLSelectElement;

  constructor(
    private readonly stage: Stage,
    parent: HTMLElement,
    effort: Effort,
  ) {
    const canvas = element("canvas", { class: "scene", tabindex: "0", "aria-label": "Scene: drag turns, right button moves, wheel zooms, arrow keys turn" });
    this.root.append(canvas);
    parent.append(this.root);
    this.panes = new Panes(stage, canvas, effort);
    this.ruler = new Ruler(stage, this.panes, this.root);
    this.measureButton = toggle("Measure", "Distance between two clicked points (M)", false, (on) => this.ruler.enable(on));
    this.count = choice("Number of panes", [["1", "1 pane"], ["2", "2 panes"], ["3", "3 panes"], ["4", "4 panes"]], "1", (value) => this.panes.setCount(Number(value)));
    this.below.append(this.tools());
    if (stage.tool()) this.below.prepend(this.hud);
    this.root.append(this.below, this.collision);
    this.row("x"), this.row("y"), this.row("z");
    if (stage.wall) this.row("to wall");
    this.hud.append(this.advice);
    this.panes.onLayout = () => this.layout();
    this.layout();
    steer(canvas, this.panes, {
      click: (pane, x, y) => this.ruler.click(pane, x, y),
      freed: () => this.layout(),
    });
  }

  private row(name: string): void {
    const value = element("dd", { text: "–" });
    this.values.set(name, value);
    this.hud.append(element("dt", { text: name.length === 1 ? `tool ${name}` : name }), value);
  }

  private tools(): HTMLElement {
    const { stage, panes } = this;
    const touch = () => panes.touch();
    return element("div", { class: "tools", role: "toolbar", "aria-label": "Scene" }, [
      stage.cloud
        ? choice("Colour of the points", [["height", "Points: height"], ["distance", "Points: distance"], ["object", "Points: object"], ["off", "Points: off"]], "height", (value) => {
            stage.colorCloud(value as CloudColors);
            touch();
          })
        : null,
      stage.system.view?.lidar ? toggle("LiDAR", "Field of view of the LiDAR", true, (on) => (stage.show("lidar", on), touch())) : null,
      stage.edge ? toggle("Edge", "Detected edge", true, (on) => (stage.show("edge", on), touch())) : null,
      stage.wall && stage.tool() ? toggle("Limits", "Working area", true, (on) => (stage.show("limits", on), touch())) : null,
      this.measureButton,
      this.count,
      button("Picture", "Save the picture as PNG", () => this.save()),
    ]);
  }

  private layout(): void {
    const { panes } = this;
    this.count.value = String(panes.panes.length);
    while (this.frames.length > panes.panes.length) this.frames.pop()!.remove();
    panes.panes.forEach((pane, i) => {
      let frame = this.frames[i];
      if (!frame) {
        const options: [string, string][] = [["orbit", "Orbit"], ...panes.views.map((v): [string, string] => [v.name, v.label])];
        const select = choice(`Camera of pane ${i + 1}`, options, pane.view.name, (name) => panes.choose(panes.panes[i]!, name));
        frame = element("div", { class: "pane" }, [select]);
        this.frames[i] = frame;
        this.root.insertBefore(frame, this.below);
      }
      frame.style.cssText = `left:${pane.left}px;top:${pane.top}px;width:${pane.width}px;height:${pane.height}px`;
      frame.querySelector("select")!.value = pane.view.name;
    });
  }

  /** Tool coordinates, distance and advice of what is placed, warnings from the values of the signals. */
  state(values: ArrayLike<number>): void {
    const { stage } = this;
    const tool = stage.tool();
    const signals = stage.system.view?.tool;
    if (tool) {
      const at = new THREE.Vector3().setFromMatrixPosition(tool);
      const write = (name: string, text: string) => {
        const cell = this.values.get(name);
        if (cell && cell.textContent !== text) cell.textContent = text;
      };
      write("x", `${at.x.toFixed(3)} m`);
      write("y", `${at.y.toFixed(3)} m`);
      write("z", `${at.z.toFixed(3)} m`);
      const distance = stage.wall?.distance(at);
      if (distance !== undefined && distance !== null) write("to wall", distance < 0.005 ? "touching" : `${distance.toFixed(2)} m`);
      this.advise(tool, at);
    }
    const value = (index: number | undefined) => (index === undefined ? NaN : (values[index] ?? NaN));
    const collides = value(signals?.collision) > 0.5;
    const outside = value(signals?.inside) < 0.5;
    this.collision.hidden = !collides && !outside;
    if (collides) this.collision.textContent = "Collision";
    else if (outside) this.collision.textContent = "An axis is at its end stop";
  }

  /** How the tool has to turn so that its jaws close across the wall. */
  private advise(tool: THREE.Matrix4, at: THREE.Vector3): void {
    const { wall } = this.stage;
    if (!wall) return;
    const radial = new THREE.Vector3(at.x, at.y, 0).normalize();
    const x = new THREE.Vector3().setFromMatrixColumn(tool, 0);
    const z = new THREE.Vector3().setFromMatrixColumn(tool, 2);
    const level = new THREE.Vector3(x.x, x.y, 0).normalize();
    const yaw = Math.asin(Math.min(1, Math.max(-1, level.dot(radial))));
    const lean = Math.acos(Math.min(1, Math.max(-1, z.z)));
    const aside = Math.hypot(at.x, at.y) - wall.ring.radius - wall.ring.thickness / 2;
    const parts: string[] = [];
    if (Math.abs(yaw) > 0.035) parts.push(`turn ${degrees(yaw)} ${yaw > 0 ? "left" : "right"}`);
    if (lean > 0.06) parts.push(`upright by ${degrees(lean)}`);
    if (Math.abs(aside) > 0.04) parts.push(`${(100 * Math.abs(aside)).toFixed(0)} cm ${aside > 0 ? "inwards" : "outwards"}`);
    this.advice.textContent = parts.length > 0 ? `Align: ${parts.join(", ")}` : "Aligned with the wall";
    this.advice.classList.toggle("good", parts.length === 0);
  }

  toggleMeasure(): void {
    this.measureButton.click();
  }

  private save(): void {
    this.panes.canvas.toBlob((blob) => {
      if (!blob) return;
      const link = element("a", { href: URL.createObjectURL(blob), download: `${this.stage.system.name}.png` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  }

  drawn(): void {
    this.ruler.place();
  }
}

const degrees = (radians: number) => `${Math.abs((radians * 180) / Math.PI).toFixed(0)}°`;

/** The distance of two clicked points. */
class Ruler {
  private on = false;
  private readonly ends: THREE.Vector3[] = [];
  private readonly line: THREE.Line;
  private readonly label = element("div", { class: "measure glass", hidden: true });
  private pane: Pane | null = null;

  constructor(
    stage: Stage,
    private readonly panes: Panes,
    root: HTMLElement,
  ) {
    this.line = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: "#ffffff", depthTest: false, fog: false }));
    this.line.renderOrder = 20;
    this.line.frustumCulled = false;
    stage.scene.add(this.line);
    root.append(this.label);
  }

  enable(on: boolean): void {
    this.on = on;
    this.ends.length = 0;
    this.show();
  }

  click(pane: Pane, x: number, y: number): void {
    if (!this.on) return;
    const point = this.panes.pick(pane, x, y);
    if (!point) return;
    if (this.ends.length === 2) this.ends.length = 0;
    this.ends.push(point);
    this.pane = pane;
    this.show();
  }

  private show(): void {
    this.line.geometry.dispose();
    this.line.geometry = new THREE.BufferGeometry().setFromPoints(this.ends.length === 2 ? this.ends : []);
    this.label.hidden = this.ends.length === 0;
    if (this.ends.length === 1) this.label.textContent = "second point …";
    if (this.ends.length === 2) this.label.textContent = `${readable(this.ends[0]!.distanceTo(this.ends[1]!))} m`;
    this.panes.touch();
  }

  /** Keeps the label over the line. */
  place(): void {
    const { pane } = this;
    if (!pane || this.ends.length === 0) return;
    const middle = this.ends.length === 2 ? this.ends[0]!.clone().add(this.ends[1]!).multiplyScalar(0.5) : this.ends[0]!.clone();
    const seen = middle.project(this.panes.lens(pane));
    this.label.style.left = `${pane.left + ((seen.x + 1) / 2) * pane.width}px`;
    this.label.style.top = `${pane.top + ((1 - seen.y) / 2) * pane.height}px`;
  }
}
