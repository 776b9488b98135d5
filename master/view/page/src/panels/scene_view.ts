// The scene with what lies over it: names of the cameras, switches, coordinates, warnings, distances.
import * as THREE from "three";
import { button, choice, element, readable, toggle } from "../dom";
import { type Pane, Panes } from "../scene/panes";
import { readings } from "../scene/readings";
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
  ) {
    const canvas = element("canvas", { class: "scene", tabindex: "0", "aria-label": "Scene: drag turns, right button moves, wheel zooms, arrow keys turn" });
    this.root.append(canvas);
    parent.append(this.root);
    this.panes = new Panes(stage, canvas);
    this.ruler = new Ruler(stage, this.panes, this.root);
    this.measureButton = toggle("Measure", "Distance between two clicked points (M)", false, (on) => this.ruler.enable(on));
    this.count = choice("Number of panes", [["1", "1 pane"], ["2", "2 panes"], ["3", "3 panes"], ["4", "4 panes"]], "1", (value) => this.panes.setCount(Number(value)));
    this.below.append(this.tools());
    if (stage.tool()) this.below.prepend(this.hud);
    this.root.append(this.below, this.collision);
    this.hud.append(this.advice);
    this.state([]);
    this.panes.onLayout = () => this.layout();
    this.layout();
    steer(canvas, this.panes, {
      click: (pane, x, y) => this.ruler.click(pane, x, y),
      freed: () => this.layout(),
    });
  }

  private cell(name: string): HTMLElement {
    let value = this.values.get(name);
    if (!value) {
      value = element("dd");
      this.values.set(name, value);
      this.advice.before(element("dt", { text: name }), value);
    }
    return value;
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
    const said = readings(this.stage, values);
    for (const [name, text] of said.rows) {
      const cell = this.cell(name);
      if (cell.textContent !== text) cell.textContent = text;
    }
    this.advice.textContent = said.advice;
    this.advice.classList.toggle("good", said.aligned);
    this.collision.hidden = said.warning === "";
    this.collision.textContent = said.warning;
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
