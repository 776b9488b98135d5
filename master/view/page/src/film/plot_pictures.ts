// Plots of a recording as pictures, for a system that has no scene.
import { History } from "../data/history";
import type { System } from "../data/system";
import { element } from "../dom";
import { Plots } from "../panels/plots";
import { font } from "./drawing";

const most = 4;

export class PlotPictures {
  private constructor(
    private readonly plots: Plots,
    private readonly top: number,
  ) {}

  static async make(system: System, width: number, height: number): Promise<PlotPictures> {
    const top = (100 * height) / 720;
    const wished = (system.view?.plots ?? []).slice(0, most);
    const described = wished.length > 0 ? wished : system.signals.slice(0, most).map((signal, i) => ({ title: signal.name, signals: [i] }));
    if (described.length === 0) throw new Error("there is nothing to see: no scene and no signals");
    const plots = new Plots({ ...system, view: { plots: described } }, new History(system.signals.length), () => {}, (height - top) / described.length - 34 * (height / 720));
    document.body.append(element("div", { class: "filmed", style: `width:${width}px` }, [plots.root]));
    await plots.loaded();
    return new PlotPictures(plots, top);
  }

  draw(context: CanvasRenderingContext2D, unit: number, time: number): void {
    const { canvas } = context;
    const pictures = this.plots.pictures();
    const room = (canvas.height - this.top) / pictures.length;
    pictures.forEach(({ title, series, picture, x }, i) => {
      const y = this.top + i * room;
      context.textBaseline = "middle";
      let left = 60 * unit;
      for (const { text, color } of series.length > 1 ? series : [{ text: series[0]?.text ?? title, color: series[0]?.color ?? "#e6ebf1" }]) {
        context.font = font({ size: 15, weight: 550 }, unit);
        context.fillStyle = color;
        context.fillText(text, left, y + 14 * unit);
        left += context.measureText(text).width + 22 * unit;
      }
      const scale = Math.min(1, (room - 30 * unit) / picture.height);
      context.drawImage(picture, 0, y + 28 * unit, picture.width, picture.height * scale);
      const at = x(time);
      if (!Number.isFinite(at)) return;
      context.fillStyle = "#f2a10f";
      context.fillRect(at - unit, y + 28 * unit, 2 * unit, (picture.height - 46 * unit) * scale);
    });
  }
}
