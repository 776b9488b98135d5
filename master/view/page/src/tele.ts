// The teleoperation station: machine and wall drawn only from the stream of 9 x Int16 and 300 x Int16. What is known
// besides are sizes: the machine's description, the ring and its thickness. Levers go back the same way.
import { OperatorPanel } from "./control/levers";
import { Connection } from "./data/connection";
import { type System, readSystem } from "./data/system";
import { type TelePose, decodePacket } from "./data/tele_stream";
import { element } from "./dom";
import type { MachineModel } from "./machine/model";
import { SceneView } from "./panels/scene_view";
import { askedEffort } from "./scene/effort";
import { Stage } from "./scene/stage";

/** A picture is stale when nothing came for so long, ms: seen within 300 ms, checks included. */
const staleAfter = 220;

/** Room for the longest text, rem: the page must not jump with every number. */
const steady = (width: number) => `min-width: ${width}rem; white-space: nowrap; text-align: center`;

/** What the station says of the link four times a second; bit/s, s. */
interface LinkWord {
  rate?: number;
  content?: number;
  /** Half the round trip from a numbered hello to its echo. */
  age?: number;
  lost?: number;
  control?: "here" | "elsewhere" | "nobody";
  moves?: boolean;
  neutral?: number[];
}

class Station {
  private readonly connection = new Connection("live");
  private readonly link = element("span", { class: "pill bad", role: "status", text: "no stream yet", style: steady(8) });
  private readonly rate = element("span", { class: "pill", title: "What the stream takes of the link, and its numbers alone", style: steady(14) });
  private readonly age = element("span", { class: "pill", title: "Half the round trip, by echoed sequence numbers", style: steady(10) });
  private readonly grip = element("span", { class: "pill", title: "Who is in control of the machine", style: steady(12) });
  private readonly view: SceneView;
  private readonly model: MachineModel | null;
  private readonly operator: OperatorPanel | null;
  private client = 0;
  private holder = 0;
  private word: LinkWord = {};
  private lastPose = -Infinity;
  private packets = 0;
  stale = true;

  constructor(
    system: System,
    private readonly stage: Stage,
  ) {
    document.title = `${system.name} – Tandem station`;
    for (const what of ["machine", "wall"] as const) stage.know(what, false);
    const main = element("main");
    document.body.append(
      element("header", { class: "bar" }, [
        element("span", { class: "name" }, [element("b", { text: "Station " }), document.createTextNode(system.name)]),
        element("span", { class: "gap" }),
        this.link,
        this.rate,
        this.age,
        this.grip,
      ]),
      main,
    );
    const { operator } = system.view ?? {};
    this.operator = operator ? new OperatorPanel(operator, (alive, values) => this.connection.send({ do: "levers", alive, values }), () => this.holder !== 0 && this.holder === this.client) : null;
    if (this.operator) document.body.append(element("aside", {}, [element("div", { class: "sheet" }, [this.operator.root])]));
    this.view = new SceneView(stage, main);
    this.model = stage.machine();
    this.connection.listen({
      frame: (frame) => {
        if (frame.kind === "packet") this.packet(frame.bytes);
        if (frame.kind === "json") this.hear(frame.message);
      },
      done: () => this.view.panes.update(),
      state: () => this.check(),
    });
    this.view.panes.onDrawn = () => this.view.drawn();
    this.view.panes.onFinished = () => requestAnimationFrame(() => this.connection.ready());
    this.view.panes.start();
    setInterval(() => this.check(), 50);
    document.body.classList.add("stale");
    Object.defineProperty(window, "tandem", {
      value: {
        links: () => Object.fromEntries((this.model?.links ?? []).map((l) => [l.name, l.matrixWorld.elements.slice(12, 15)])),
        stale: () => this.stale,
        packets: () => this.packets,
        link: () => this.word,
        holds: () => this.holder !== 0 && this.holder === this.client,
        drawn: () => this.view.panes.drawn,
        shown: () => ({ machine: stage.knows("machine"), wall: stage.knows("wall") }),
        wall: () => (stage.wall?.heights ? [...stage.wall.heights] : []),
      },
    });
  }

  private hear(message: Record<string, unknown>): void {
    if (message["type"] === "hello") this.client = Number(message["client"]);
    if (message["type"] === "control") {
      this.holder = Number(message["holder"]);
      if (this.holder === 0 && this.operator) this.connection.send({ do: "take" });
    }
    if (message["type"] !== "tele") return;
    this.word = message as LinkWord;
    const { rate = 0, content = 0, age, control, moves, neutral = [] } = this.word;
    this.rate.textContent = `${(rate / 1000).toFixed(1)} kbit/s, ${(content / 1000).toFixed(1)} of numbers`;
    this.age.textContent = age === undefined ? "no echo" : `half round trip ${(1000 * age).toFixed(0)} ms`;
    this.grip.textContent = control === "here" ? (moves ? "in control, axes free" : "in control, axes held") : control === "elsewhere" ? "another operator is in control" : "nobody in control";
    this.operator?.neutral(control === "here" ? neutral : []);
  }

  private packet(bytes: DataView): void {
    const packet = decodePacket(bytes);
    if (!packet) return;
    ++this.packets;
    if (packet.kind === "pose") {
      if (this.place(packet)) this.lastPose = performance.now();
      this.check();
    } else this.showWall(packet.heights);
  }

  /**
   * Joints from what the sensors measure: inclinations add up along the arms, lengths turn joints by their linkages.
   * False where a sensor gives nothing: the picture stays as old as it is.
   */
  private place({ values }: TelePose): boolean {
    const { model } = this;
    if (values.some((v, i) => i < 7 && Number.isNaN(v))) return false;
    if (!model) return true;
    const [boom, adjust, arm, coupler, slew, rotate, jaw, pitch, roll] = values.map((v) => (Number.isNaN(v) ? 0 : v)) as [number, number, number, number, number, number, number, number, number];
    const wrap = (a: number) => Math.atan2(Math.sin(a), Math.cos(a));
    const joints: Record<string, number> = {
      boom: wrap(boom - pitch),
      adjust: wrap(adjust - boom),
      arm: wrap(arm - adjust),
      coupler: near(wrap(coupler - arm), model, "coupler"),
      slew: model.linkage("slew")?.joint(slew) ?? 0,
      rotate,
      jaw: model.linkage("jaw")?.joint(jaw) ?? 0,
    };
    model.placeJoints(model.machine.joints.map((j) => joints[j.name] ?? 0), pitch, roll);
    this.stage.know("machine", true);
    this.stage.refresh();
    this.view.state([]);
    return true;
  }

  /** The wall as a volume: from the edge outwards by its known thickness, down to the base. */
  private showWall(heights: Float32Array): void {
    const { wall } = this.stage;
    if (!wall) return;
    const { base } = wall.ring;
    const columns = heights.length, grid = new Float32Array(2 * columns);
    for (let i = 0; i < columns; ++i) grid[2 * i] = grid[2 * i + 1] = Number.isNaN(heights[i]!) ? 0 : Math.max(0, heights[i]! - base);
    wall.update(grid, columns, 2);
    this.stage.know("wall", true);
  }

  private check(): void {
    const now = performance.now();
    const silent = now - this.lastPose;
    this.stale = silent > staleAfter || !this.connection.open;
    document.body.classList.toggle("stale", this.stale);
    this.link.className = `pill ${this.stale ? "bad" : "good"}`;
    this.link.textContent = this.stale ? (Number.isFinite(silent) ? `STALE ${(silent / 1000).toFixed(1)} s` : this.packets ? "no pose yet" : "no stream yet") : "live";
  }
}

/** The turn of a joint that its limits allow. */
function near(angle: number, model: MachineModel, joint: string): number {
  const found = model.machine.joints.find((j) => j.name === joint);
  if (!found || !Number.isFinite(found.lower + found.upper)) return angle;
  const middle = (found.lower + found.upper) / 2;
  return angle + 2 * Math.PI * Math.round((middle - angle) / (2 * Math.PI));
}

document.documentElement.dataset["theme"] = new URLSearchParams(location.search).get("theme") ?? "dark";
const system = await readSystem(await fetch("system.json"));
// Of the view only what does not change is used: sizes, and where cameras stand.
const view = system.view ?? {};
const known: System = { ...system, streams: [system.name], view: { machines: view.machines, wall: view.wall && view.edge ? { ...view.wall, start: view.edge.start, span: view.edge.span } : view.wall, cameras: view.cameras, tool: view.tool, operator: view.operator } };
new Station(known, await Stage.make(known, askedEffort(), (text) => console.warn(text)));
