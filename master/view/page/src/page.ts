// The page of a run: connects, shows, controls.
import { type Frame, type StateFrame, flag } from "./data/frames";
import { Connection } from "./data/connection";
import { History } from "./data/history";
import { Streams, streamLabel } from "./data/streams";
import { type System, readSystem } from "./data/system";
import { OperatorPanel, isTyping } from "./control/levers";
import { button, choice, element } from "./dom";
import { Diagram } from "./panels/diagram";
import { keyHelp } from "./panels/help";
import { Inputs } from "./panels/inputs";
import { Log } from "./panels/log";
import { Plots } from "./panels/plots";
import { SceneView } from "./panels/scene_view";
import { Traffic } from "./panels/traffic";
import { Stage } from "./scene/stage";
import { askedEffort } from "./scene/effort";

const speeds: [string, string][] = [["0.1", "× 0.1"], ["0.25", "× 0.25"], ["0.5", "× 0.5"], ["1", "× 1"], ["2", "× 2"], ["5", "× 5"], ["10", "× 10"], ["0", "as fast as possible"]];
const stopped = 130; // the code of a run that somebody ended

class Page {
  private readonly connection: Connection;
  private readonly history: History;
  private readonly log = new Log((time) => this.pick(time));
  private readonly plots: Plots;
  private readonly diagram: Diagram;
  private readonly inputs: Inputs;
  private readonly operator: OperatorPanel | null;
  private readonly traffic: Traffic;
  private view: SceneView | null = null;

  private unsure: Frame[] | null = null; // what has come while it is not known yet whether the system is still the same
  private readonly streams: Streams;
  private client = 0;
  private holder = 0;
  private greeted = false; // no state has come since
  private run: number;
  private state: StateFrame | null = null;
  private lastFrame = 0;
  private plotted = 0;
  private ended = "";
  private latency = NaN;
  private picked: number | null = null; // a time of the past that is looked at, while the run goes on

  private readonly clock = element("span", { class: "time", "aria-label": "Simulated time" });
  private readonly factor = element("span", { class: "pill", title: "Simulated per real second" });
  private readonly link = element("span", { class: "pill", role: "status" });
  private readonly controlState = element("span", { class: "pill" });
  private readonly pauseButton = button("Pause", "Pause or go on (P)", () => this.togglePause());
  private readonly stepButton = button("Step", "One communication point (.)", () => this.send({ do: "step", n: 1 }));
  private readonly resetButton = button("Reset", "Begin again: results of the new run replace those of this one", () => this.send({ do: "reset" }));
  private readonly takeButton = button("Take control", "Hold control, or give it back", () => this.send({ do: this.holds ? "release" : "take" }));
  private readonly giveButton = button("Hand over", "Somebody asks for control", () => this.give());
  private readonly cursorButton = button("", "Plots, diagram and log show this time, the scene shows now; back to now (Escape)", () => this.unpick(), "cursor");
  private readonly help = keyHelp();
  private readonly slider = element("input", { type: "range", step: "any", "aria-label": "Time" });
  private readonly aside = element("aside");
  private readonly note = element("div", { class: "remarks glass", role: "note", hidden: true });
  private readonly main = element("main", {}, [this.note]);
  private asked: number[] = [];

  constructor(private readonly system: System) {
    document.title = `${system.name} – Tandem`;
    this.run = system.run;
    this.streams = new Streams(system);
    this.history = new History(system.signals.length);
    this.plots = new Plots(system, this.history, (time) => this.pick(time));
    this.diagram = new Diagram(system, (wire) => {
      if (wire.signal === undefined) return this.log.add("note", null, "", `${wire.from}.${wire.fromName} is no scalar that is recorded`);
      this.plots.add(`${wire.from ? `${wire.from}.` : ""}${wire.fromName}`, [wire.signal]);
      this.tab("Plots");
    });
    this.inputs = new Inputs(
      system,
      (signal, value) => this.send({ do: "set", signal, value }),
      (text) => this.log.add("warning", null, "input", text),
    );
    this.traffic = new Traffic(system, () => this.tab("Traffic"));
    const { operator } = system.view ?? {};
    this.operator =
      operator && system.mode === "live"
        ? new OperatorPanel(operator, (alive, values) => this.connection.send({ do: "levers", alive, values }), () => this.holds)
        : null;
    this.build();
    this.connection = new Connection("live");
    this.connection.listen({
      frame: (frame) => this.frame(frame),
      done: () => this.batch(),
      state: (open) => this.connected(open),
    });
    this.connected(false);
    setInterval(() => this.status(), 250);
    window.addEventListener("keydown", (e) => this.key(e));
  }

  private get holds(): boolean {
    return this.system.mode === "replay" || (this.client !== 0 && this.holder === this.client);
  }
  private get paused(): boolean {
    return ((this.state?.flags ?? 0) & flag.paused) !== 0;
  }

  private build(): void {
    const { system } = this;
    const live = system.mode === "live";
    const name = element("span", { class: "name", title: system.title ?? "" }, [element("b", { text: "Tandem " }), document.createTextNode(system.name)]);
    const bar = element("header", { class: "bar" }, [
      name,
      this.pauseButton,
      live ? this.stepButton : null,
      choice("Speed", speeds, "1", (value) => this.send({ do: "speed", factor: Number(value) })),
      live ? this.resetButton : null,
      element("span", { class: "gap" }),
      this.cursorButton,
      this.clock,
      this.factor,
      this.link,
      live ? this.controlState : null,
      live ? this.takeButton : null,
      live ? this.giveButton : null,
      button("◐", "Dark or light", () => this.theme()),
      button("?", "Keys (?)", () => this.help.showModal()),
    ]);
    this.giveButton.hidden = this.cursorButton.hidden = true;
    document.body.append(bar, this.main, this.aside, this.help);
    this.tabs();
    if (!live) document.body.append(this.foot());
  }

  private readonly sheets = new Map<string, HTMLElement>();
  private readonly tabButtons = new Map<string, HTMLButtonElement>();
  private tabs(): void {
    const list = element("div", { class: "tabs", role: "tablist" });
    list.addEventListener("keydown", (e) => {
      const way = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[e.key];
      const all = [...this.tabButtons.values()], at = all.indexOf(e.target as HTMLButtonElement);
      if (way === undefined || at < 0) return;
      e.preventDefault();
      const next = all[(at + way + all.length) % all.length]!;
      next.focus();
      next.click();
    });
    const sheet = element("div", { class: "sheet" });
    const add = (label: string, content: Element) => {
      const holder = element("div", { role: "tabpanel", "aria-label": label, hidden: true }, [content]);
      const tab = element("button", { type: "button", role: "tab", text: label, "aria-selected": "false", onclick: () => this.tab(label) });
      this.sheets.set(label, holder);
      this.tabButtons.set(label, tab);
      list.append(tab);
      sheet.append(holder);
    };
    add("Plots", this.plots.root);
    add("Diagram", this.diagram.root);
    if (this.operator) add("Drive", this.operator.root);
    if (this.system.mode === "live") {
      add("Inputs", this.inputs.root);
      add("Traffic", this.traffic.root);
      this.main.append(this.traffic.overlay);
    }
    add("Log", this.log.root);
    list.append(element("span", { class: "gap", style: "flex:1" }), button("⇥", "Fold or unfold the panel", () => this.aside.classList.toggle("folded")));
    this.aside.append(list, sheet);
    this.tab("Plots");
  }

  private tab(label: string): void {
    this.aside.classList.remove("folded");
    for (const [name, sheet] of this.sheets) {
      sheet.hidden = name !== label;
      this.tabButtons.get(name)!.setAttribute("aria-selected", String(name === label));
      this.tabButtons.get(name)!.tabIndex = name === label ? 0 : -1;
    }
    if (this.view) document.body.classList.toggle("wide", label === "Diagram");
    this.plots.update();
    this.traffic.write();
  }

  private foot(): HTMLElement {
    const { slider, system } = this;
    slider.min = String(system.start);
    slider.max = String(system.stop ?? system.start + 1);
    slider.value = String(system.start);
    slider.addEventListener("input", () => this.seek(Number(slider.value)));
    const names = system.streams.map((_, i) => element("span", { class: "pill", text: streamLabel(system, i) }));
    return element("footer", { class: "foot" }, [element("span", { text: `${system.start} s` }), slider, element("span", { text: `${system.stop} s` }), ...(names.length > 1 ? names : [])]);
  }

  /** The scene, or where there is none the diagram in its place. */
  async show(): Promise<void> {
    const stage = await Stage.make(this.system, askedEffort(), (text) => this.log.add("warning", null, "scene", text));
    if (!stage.shows) {
      document.body.classList.add("wide");
      this.sheets.get("Diagram")!.remove();
      this.tabButtons.get("Diagram")!.remove();
      this.main.append(this.diagram.root);
      this.plots.addFirst();
    } else {
      try {
        this.view = new SceneView(stage, this.main);
      } catch (error) {
        this.log.add("error", null, "scene", `no WebGL: ${error instanceof Error ? error.message : String(error)}`);
        this.main.append(this.diagram.root);
      }
    }
    const { remarks = [], findings = [] } = this.system;
    for (const { level, where, text } of findings) this.log.add(level, null, where, text);
    for (const text of remarks) this.log.add("warning", null, "recording", text);
    this.remark(remarks);
    this.hook(stage);
    if (this.view) {
      this.view.panes.onDrawn = () => this.view!.drawn();
      this.view.panes.onFinished = () => {
        if (this.state) this.latency = 1000 * this.state.age + performance.timeOrigin + performance.now() - this.connection.at;
        requestAnimationFrame(() => this.connection.ready());
      };
      this.view.panes.start();
    }
  }

  /** What nobody must miss, over what is shown. */
  private remark(texts: string[]): void {
    this.note.hidden = texts.length === 0;
    this.note.replaceChildren(...texts.map((text) => element("div", { text })), button("✕", "Close; it stays in the log", () => (this.note.hidden = true)));
  }

  private frame(frame: Frame): void {
    this.lastFrame = performance.now();
    if (frame.run > this.run || (frame.kind === "json" && frame.message["type"] === "hello" && frame.run !== this.run)) this.begin(frame.run);
    if (frame.run < this.run) return; // of the run before a reset
    if (this.unsure && frame.kind !== "json") return void this.unsure.push(frame);
    const stage = this.view?.panes.stage;
    if (frame.kind === "state") {
      stage?.state(frame);
      this.streams.state(frame);
      if (frame.stream !== 0) return;
      this.history.add(frame.time, frame.values);
      // The first state is the last that the server had, of a time when it had nobody to show more to.
      if (this.greeted && !(frame.flags & flag.paused)) this.history.interrupt();
      this.greeted = false;
      this.state = frame;
    } else if (frame.kind === "array") stage?.array(frame);
    else if (frame.kind === "cloud") stage?.cloudFrame(frame);
    else if (frame.kind === "json") this.message(frame.message, frame.time);
  }

  /** Another run: what was seen and said of the last one is past. */
  private begin(run: number): void {
    this.run = run;
    this.picked = null;
    this.state = null;
    this.streams.clear();
    this.ended = "";
    this.remark([]);
    this.history.clear();
    this.plots.forget();
    void this.checkSystem();
  }

  /** Numbers mean what the server's description says: where it is not the one that this page was made of, the page is made anew. */
  private async checkSystem(): Promise<void> {
    const waiting: Frame[] = (this.unsure = []);
    const told = await systemDescription();
    if (this.unsure !== waiting) return; // asked again meanwhile
    const text = (system: System) => JSON.stringify({ ...system, run: 0 });
    if (text(told) !== text(this.system)) return location.reload();
    this.unsure = null;
    for (const frame of waiting) this.frame(frame);
    this.batch();
  }

  private batch(): void {
    const { state } = this, { time } = this.streams;
    if (state) {
      this.system.streams.forEach((_, stream) => this.view?.panes.stage.end(stream, this.streams.ended(stream)));
      this.view?.state(state.values);
      this.diagram.state(this.picked === null ? state.values : this.history.rowValues(this.picked));
      this.inputs.state(state.values);
      this.clock.textContent = `${time.toFixed(this.paused ? 3 : 2)} s`;
      if (document.activeElement !== this.slider) this.slider.value = String(time);
    }
    const now = performance.now();
    if (now - this.plotted > 120 || this.paused) {
      this.plotted = now;
      this.showCursor();
    }
    this.status();
    if (this.view) this.view.panes.update();
    else this.connection.ready();
  }

  private message(message: Record<string, unknown>, time: number): void {
    const text = typeof message["text"] === "string" ? message["text"] : "";
    const where = typeof message["where"] === "string" ? message["where"] : "";
    const at = typeof message["t"] === "number" ? message["t"] : null;
    switch (message["type"]) {
      case "hello":
        this.client = Number(message["client"]);
        this.history.interrupt();
        this.greeted = true;
        break;
      case "control":
        this.holder = Number(message["holder"]);
        this.asked = Array.isArray(message["asked"]) ? message["asked"].map(Number) : [];
        if (this.holder === 0 && this.system.mode === "live" && !this.released) this.connection.send({ do: "take" });
        break;
      case "log":
        this.log.add(String(message["level"]), at, where, text);
        if (at !== null && message["level"] !== "note") this.plots.mark({ time: at, level: String(message["level"]), text: `${where}: ${text}` });
        break;
      case "refused":
        this.log.add("warning", time, String(message["do"]), text);
        break;
      case "neutral":
        this.operator?.neutral(Array.isArray(message["axes"]) ? message["axes"].map(Number) : []);
        break;
      case "bus":
        return this.traffic.bus(message, time);
      case "topics":
        return this.traffic.published(message);
      case "end":
        this.ended = text || "ended";
        if ([0, stopped].includes(Number(message["code"]))) this.log.add("note", time, "", this.ended);
        else {
          this.log.add("error", time, "", this.ended);
          this.remark([`The run failed: ${this.ended}`]);
        }
        break;
    }
    this.status();
  }

  private released = false;
  private connected(open: boolean): void {
    if (!open) {
      this.client = this.holder = 0;
      this.ended = "";
    } else void this.checkSystem(); // it may be another server by now
    this.released = false;
    this.status();
  }

  private status(): void {
    const { state } = this;
    const set = (pill: HTMLElement, kind: string, text: string) => {
      const wanted = `pill ${kind}`;
      if (pill.className !== wanted) pill.className = wanted;
      if (pill.textContent !== text) pill.textContent = text;
    };
    const silent = performance.now() - this.lastFrame > 1500 && !this.paused && !this.over;
    if (!this.connection.open) set(this.link, "bad", "reconnecting");
    else if (silent && state && this.system.mode === "live") set(this.link, "warn", "no news");
    else if (this.over) set(this.link, this.failed ? "bad" : "", this.failed ? "failed" : "ended");
    else set(this.link, "good", "connected");
    this.link.title = this.ended;
    document.body.classList.toggle("stale", !this.connection.open);
    const factor = state?.factor ?? NaN;
    const late = ((state?.flags ?? 0) & flag.late) !== 0;
    set(this.factor, this.paused || this.over ? "" : late ? "warn" : "good", this.paused ? "paused" : Number.isFinite(factor) ? `× ${factor.toFixed(2)}` : "×  –");
    set(this.controlState, this.holds ? "good" : this.holder ? "warn" : "", this.holds ? "in control" : this.holder ? `client ${this.holder} in control` : "nobody in control");
    const waits = this.asked.includes(this.client);
    this.takeButton.textContent = this.holds ? "Release" : waits ? "Asked" : this.holder ? "Ask for control" : "Take control";
    this.takeButton.disabled = waits && !this.holds;
    this.pauseButton.textContent = this.paused ? "Go on" : "Pause";
    for (const b of [this.pauseButton, this.stepButton, this.resetButton]) b.disabled = !this.holds || !this.connection.open;
    this.stepButton.disabled ||= !this.paused || this.over;
    this.pauseButton.disabled ||= this.over && this.system.mode === "live";
    this.giveButton.hidden = !this.holds || this.asked.length === 0;
  }
  private get failed(): boolean {
    return ((this.state?.flags ?? 0) & flag.failed) !== 0;
  }
  private get over(): boolean {
    return this.ended !== "" || ((this.state?.flags ?? 0) & flag.ended) !== 0;
  }

  private give(): void {
    const to = this.asked[0];
    if (to !== undefined) this.send({ do: "give", to });
  }
  private send(message: Record<string, unknown>): void {
    if (message["do"] === "release") this.released = true;
    if (["go", "step", "reset"].includes(String(message["do"]))) this.plots.sought = NaN; // time goes on from what is shown
    this.connection.send(message);
  }
  private togglePause(): void {
    this.send({ do: this.paused ? "go" : "pause" });
  }
  /** A time was chosen, in a plot or in the log: a recording goes there, a run goes on while its past is looked at. */
  private pick(time: number): void {
    if (this.system.mode === "replay") this.seek(time);
    else this.picked = time;
    this.showCursor();
  }
  private seek(time: number): void {
    this.plots.sought = time;
    this.connection.send({ do: "seek", t: time });
  }
  private unpick(): void {
    this.picked = null;
    this.showCursor();
  }
  /** One time for everything that shows one. */
  private showCursor(): void {
    const time = this.picked ?? this.streams.time;
    this.plots.update(time, this.state?.values);
    this.log.show(Number.isNaN(time) ? Infinity : time);
    this.cursorButton.hidden = this.picked === null;
    if (this.picked !== null) {
      this.cursorButton.textContent = `at ${this.picked.toFixed(3)} s ✕`;
      this.diagram.state(this.history.rowValues(this.picked));
    }
  }
  private theme(): void {
    const root = document.documentElement;
    setTheme(root.dataset["theme"] === "light" ? "dark" : "light");
    this.plots.redraw();
  }

  private key(event: KeyboardEvent): void {
    if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "p") this.togglePause();
    else if (event.key === ".") this.stepButton.click();
    else if (event.key === "m") this.view?.toggleMeasure();
    else if (event.key === "Escape" && this.picked !== null) this.unpick();
    else if (event.key === "?") this.help.showModal();
    else if (/^[1-4]$/.test(event.key)) this.view?.panes.setCount(Number(event.key));
    else return;
    event.preventDefault();
  }

  /** For tests: what is shown, as numbers. */
  private hook(stage: Stage): void {
    Object.defineProperty(window, "tandem", {
      value: {
        links: (stream = 0, name?: string) => {
          const shown = stage.machines.find((m) => m.stream === stream && (name === undefined || m.info.name === name));
          return Object.fromEntries((shown?.model.links ?? []).map((link) => [link.name, link.matrixWorld.elements.slice(12, 15)]));
        },
        state: () => ({ time: this.state?.time, run: this.run, sequence: this.state?.sequence, paused: this.paused, holds: this.holds, open: this.connection.open, refused: this.connection.refused }),
        values: () => [...(this.state?.values ?? [])],
        drawn: () => this.view?.panes.drawn ?? 0,
        shadowAge: () => this.view?.panes.shadowAge ?? 0,
        latency: () => this.latency,
        quality: () => this.view?.panes.quality,
        cloud: () => stage.cloud?.count ?? 0,
        wall: () => (stage.wall?.heights ? [...stage.wall.heights] : []),
        machines: () => stage.machines.map((m) => m.model.group.visible),
        panes: () => this.view?.panes.panes.map((p) => p.view.name),
        plots: () => this.plots.shown(),
        traffic: () => this.traffic.shown(),
        cursor: () => this.picked ?? this.streams.time,
      },
    });
  }
}

function setTheme(theme: string): void {
  document.documentElement.dataset["theme"] = theme;
  try {
    localStorage.setItem("theme", theme);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}

async function systemDescription(): Promise<System> {
  for (;;) {
    try {
      const answer = await fetch("system.json");
      if (answer.ok) return await readSystem(answer);
    } catch {
      // The server is not there yet, or not any more: asked again.
    }
    await new Promise((done) => setTimeout(done, 500));
  }
}

const asked = new URLSearchParams(location.search).get("theme");
let stored: string | null = null;
try {
  stored = localStorage.getItem("theme");
} catch {
  stored = null;
}
document.documentElement.dataset["theme"] = asked ?? stored ?? (matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark");
await new Page(await systemDescription()).show();
