// Reports: the machine and its wall at several moments, to be turned. Begins when it comes into sight, so that a report
// opens at once; everything it shows stands in the page itself.
import type { System } from "./data/system";
import { button, choice, element } from "./dom";
import { Panes } from "./scene/panes";
import { Stage } from "./scene/stage";
import { steer } from "./scene/steering";

interface SceneData {
  urdf: string;
  times: number[];
  poses: string;
  wall: null | { radius: number; thickness: number; start: number; span: number; base: number; height: number; columns: number; rows: number; heights: string };
}

function floats(text: string): Float32Array {
  return new Float32Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
}

async function show(section: HTMLElement): Promise<void> {
  const data = JSON.parse(section.querySelector("script")!.textContent!) as SceneData;
  const { wall } = data;
  const system: System = {
    protocol: 1, name: document.title, mode: "replay", start: 0, run: 1, streams: [""], signals: [], components: [], wires: [],
    arrays: wall ? [{ name: "poses", unit: "", dimensions: [], type: "real" }, { name: "heights", unit: "m", dimensions: [wall.columns, wall.rows], type: "real" }] : [],
    view: { machines: [{ name: "machine", urdf: "", poses: 0 }], ...(wall ? { wall: { ...wall, heights: 1 } } : {}) },
  };
  const stage = await Stage.make(system, "auto", console.warn, () => Promise.resolve(data.urdf));
  stage.show("limits", false);
  const canvas = element("canvas", { tabindex: "0", "aria-label": "Machine and wall: drag turns, right button moves, arrow keys turn, + and - zoom, the wheel with Ctrl too" });
  const frame = element("div", { class: "frame" }, [canvas]);
  section.append(frame);
  const panes = new Panes(stage, canvas);
  steer(canvas, panes, { wheel: (e) => e.ctrlKey || document.fullscreenElement === frame, freed: () => (camera.value = "orbit") });

  const poses = floats(data.poses), heights = wall ? floats(wall.heights) : null;
  const count = data.times.length;
  let moment = -1;
  const label = element("output");
  const place = (wanted: number) => {
    if (wanted === moment) return;
    moment = wanted;
    const head = { stream: 0, sequence: wanted, time: data.times[wanted]!, run: 1 };
    const part = (values: Float32Array) => values.subarray((values.length / count) * wanted, (values.length / count) * (wanted + 1));
    stage.array({ kind: "array", ...head, index: 0, values: part(poses) });
    if (heights) stage.array({ kind: "array", ...head, index: 1, values: part(heights) });
    label.textContent = `t = ${data.times[wanted]!.toFixed(2)} s`;
    panes.touch();
  };
  const slider = element("input", { type: "range", min: 0, max: count - 1, step: 1, value: count - 1, "aria-label": "Moment" });
  slider.addEventListener("input", () => place(Number(slider.value)));
  const camera = choice("Camera", [["orbit", "Orbit"], ...panes.views.map((v): [string, string] => [v.name, v.label])], "orbit", (name) => panes.choose(panes.panes[0]!, name));
  frame.append(element("div", { class: "steer" }, [camera, slider, label, button("Full screen", "The whole screen, and back", () => void (document.fullscreenElement ? document.exitFullscreen() : frame.requestFullscreen()))]));
  place(count - 1);
  panes.start();
  section.classList.add("live");
  // For tests: what is drawn.
  const at = () => stage.tool()?.elements.slice(12, 15);
  Object.defineProperty(section, "scene", { value: { drawn: () => panes.drawn, time: () => data.times[moment], tool: at, wall: () => [...(stage.wall?.heights ?? [])] } });
}

const sheet = document.createElement("style");
sheet.textContent = `section.scene .frame{position:relative;height:min(62vh,560px);border-radius:8px;overflow:hidden;background:var(--grid)}
section.scene canvas{position:absolute;inset:0;width:100%;height:100%;touch-action:none}
section.scene canvas:focus-visible{outline:2px solid var(--accent);outline-offset:-2px}
section.scene .steer{position:absolute;left:10px;right:10px;bottom:10px;display:flex;gap:10px;align-items:center}
section.scene .steer>*{font:inherit;color:var(--text);background:color-mix(in srgb,var(--card) 85%,transparent);border:1px solid var(--rule);border-radius:6px;padding:3px 9px}
section.scene .steer input{flex:1;padding:0;accent-color:var(--accent)}section.scene .steer output{font-variant-numeric:tabular-nums;min-width:8.5em;text-align:right}

@media print{section.scene:not(.live){display:none}section.scene .steer :not(output){display:none}section.scene .frame{height:90mm}}`;
document.head.append(sheet);
const scenes = [...document.querySelectorAll<HTMLElement>("section.scene")];
const seen = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      seen.unobserve(entry.target);
      show(entry.target as HTMLElement).catch((error: unknown) => {
        (entry.target as HTMLElement).hidden = true;
        console.warn(`the scene cannot be shown: ${error instanceof Error ? error.message : String(error)}`);
      });
    }
  },
  { rootMargin: "100px" },
);
for (const scene of scenes) seen.observe(scene);
