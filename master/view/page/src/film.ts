// A recording as pictures, one for each time that is asked for: what `tandem view --video` takes its frames from. A
// picture is put together on one canvas, scene, words and time at once, so that its parts cannot be of different times.
import { Connection } from "./data/connection";
import type { Frame, StateFrame } from "./data/frames";
import { printable } from "./data/printable";
import { Streams, streamLabel } from "./data/streams";
import { type System, readSystem } from "./data/system";
import { element } from "./dom";
import { card, line, strip } from "./film/drawing";
import { PlotPictures } from "./film/plot_pictures";
import { Panes } from "./scene/panes";
import { readings } from "./scene/readings";
import { Stage } from "./scene/stage";

/** What `seek` is answered with: the rows that are shown, and how many frames make them up. */
interface Sought {
  rows: number[];
  frames: number;
}
/** Pictures that are less high are previews, made without what cannot be seen in them. */
const small = 400; // pixels

interface Picture {
  time: number; // s, of the row that is shown
  data: string; // JPEG, base64
}

class Film {
  private readonly canvas = element("canvas");
  private readonly context = this.canvas.getContext("2d", { willReadFrequently: true })!;
  private readonly connection = new Connection("live");
  private sought: Sought | null = null;
  private readonly came = new Set<string>(); // frames of the rows that are sought
  private state: StateFrame | null = null;
  private readonly streams: Streams;
  private complete: (() => void) | null = null;
  private lost = false;

  private constructor(
    private readonly system: System,
    private readonly stage: Stage,
    private readonly panes: Panes | null,
    private readonly plots: PlotPictures | null,
  ) {
    this.streams = new Streams(system);
    this.canvas.width = innerWidth;
    this.canvas.height = innerHeight;
    panes?.canvas.addEventListener("webglcontextlost", () => (this.lost = true));
    this.connection.listen({ frame: (frame) => this.take(frame), done: () => this.batch(), state: () => {} });
  }

  static async make(system: System, cameras: string[]): Promise<Film> {
    const failed = (text: string) => {
      throw new Error(text);
    };
    const stage = await Stage.make(system, innerHeight < small ? "low" : "high", failed);
    if (!stage.shows) {
      if (cameras.length > 0) failed("there is no scene, so there are no cameras");
      return new Film(system, stage, null, await PlotPictures.make(system, innerWidth, innerHeight));
    }
    const holder = element("main"), surface = element("canvas", { class: "scene" });
    holder.append(surface);
    document.body.append(holder);
    const panes = new Panes(stage, surface);
    panes.sharpen();
    const known = ["orbit", ...panes.views.map((view) => view.name)];
    for (const name of cameras) if (!known.includes(name)) failed(`there is no camera '${name}', there are: ${known.join(", ")}`);
    panes.chooseAll(cameras.length > 0 ? cameras : ["orbit"]);
    return new Film(system, stage, panes, null);
  }

  /** The picture of a time; one at a time. */
  async picture(time: number): Promise<Picture> {
    while (!this.connection.open) await new Promise((done) => setTimeout(done, 20));
    this.sought = null;
    this.came.clear();
    const shown = new Promise<void>((done) => (this.complete = done));
    this.connection.send({ do: "seek", t: time });
    await shown;
    if (!this.state) throw new Error("the recording has no rows");
    const { time: shownTime } = this.streams;
    this.system.streams.forEach((_, stream) => this.stage.end(stream, this.streams.ended(stream)));
    this.draw(this.state, shownTime);
    if (this.lost) throw new Error("the browser lost its picture (WebGL context)");
    const url = this.canvas.toDataURL("image/jpeg", 0.97);
    return { time: shownTime, data: url.slice(url.indexOf(",") + 1) };
  }

  private take(frame: Frame): void {
    if (frame.kind === "json") {
      if (frame.message["type"] === "sought") {
        this.sought = { rows: frame.message["rows"] as number[], frames: Number(frame.message["frames"]) };
        this.came.clear();
      }
      return;
    }
    if (frame.kind !== "state" && frame.kind !== "array") return;
    // What was under way before comes too, and does not count.
    if (this.sought && frame.sequence === this.sought.rows[frame.stream]) this.came.add(`${frame.kind} ${frame.stream} ${frame.kind === "array" ? frame.index : ""}`);
    if (frame.kind === "array") return this.stage.array(frame);
    this.stage.state(frame);
    this.streams.state(frame);
    if (frame.stream === 0) this.state = frame;
  }

  private batch(): void {
    this.connection.ready();
    if (!this.sought || this.came.size < this.sought.frames) return;
    this.complete?.();
    this.complete = null;
  }

  private draw(state: StateFrame, time: number): void {
    const { canvas, context, panes } = this;
    const unit = canvas.height / 720;
    context.fillStyle = "#12161c";
    context.fillRect(0, 0, canvas.width, canvas.height);
    const head = [line(this.system.name, 17), line(`${time.toFixed(3)} s`, 34, 650)];
    if (panes) {
      panes.draw();
      context.drawImage(panes.canvas, 0, 0, canvas.width, canvas.height);
      if (panes.panes.length > 1) this.labels(unit);
      const said = readings(this.stage, state.values);
      const rows = [...said.rows.map(([name, text]) => line(`${name}  ${text}`, 17)), ...(said.advice ? [line(said.advice, 17, 600, said.aligned ? "#4fd08a" : "#f2a10f")] : [])];
      if (rows.length > 0) card(context, unit, rows, { left: true, top: false });
      if (said.warning) card(context, unit, [line(said.warning, 22, 650, "#ffffff")], { left: false, top: true, fill: "#c62828" });
      else if (this.system.streams.length > 1) card(context, unit, this.system.streams.map((_, i) => line(streamLabel(this.system, i), 17)), { left: false, top: true });
    }
    this.plots?.draw(context, unit, time);
    card(context, unit, head, { left: true, top: true });
    strip(context, unit, time);
  }

  /** Which pane is whose. */
  private labels(unit: number): void {
    const { context } = this;
    context.strokeStyle = "#0a0e14";
    context.lineWidth = 2 * unit;
    for (const pane of this.panes!.panes) {
      context.strokeRect(pane.left, pane.top, pane.width, pane.height);
      const label = [line(pane.view.label, 15)];
      card(context, unit, label, { left: false, top: false, within: pane });
    }
  }
}

async function begin(): Promise<void> {
  const wished = new URLSearchParams(location.search).get("camera") ?? "";
  const answer = await fetch("system.json");
  const film = await Film.make(await readSystem(answer), printable(wished).split(",").filter(Boolean));
  Object.defineProperty(window, "tandem", { value: { film: (time: number) => film.picture(time) } });
}

document.documentElement.dataset["theme"] = "dark";
// Whoever asks for the first picture is told why there is none.
begin().catch((error: unknown) => {
  const text = error instanceof Error ? error.message : String(error);
  Object.defineProperty(window, "tandem", { value: { film: () => Promise.reject(new Error(text)) } });
});
