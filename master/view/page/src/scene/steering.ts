// Mouse, touch and keys turn, move and zoom the camera of a pane.
import type { Pane, Panes } from "./panes";

export interface Steering {
  /** A click that was no drag, in pixels of the canvas. */
  click?: (pane: Pane, x: number, y: number) => void;
  /** A bound camera became a free one. */
  freed?: () => void;
  /** Whether the wheel zooms; else it scrolls the page. */
  wheel?: (event: WheelEvent) => boolean;
}

export function steer(canvas: HTMLCanvasElement, panes: Panes, { click, freed, wheel = () => true }: Steering = {}): void {
  /** A bound camera that is dragged becomes a free one at the same place. */
  const free = (pane: Pane) => {
    if (pane.view === pane.orbit) return;
    pane.orbit.takeFrom(panes.lens(pane), panes.stage.focus());
    pane.view = pane.orbit;
    freed?.();
  };
  let held: Pane | null = null;
  let last: Pane | null = null; // the keys are for the pane that was touched last
  let moved = 0;
  canvas.addEventListener("contextmenu", (e) => e.preventDefault());
  canvas.addEventListener("pointerdown", (e) => {
    held = last = panes.paneAt(e.offsetX, e.offsetY);
    moved = 0;
    canvas.setPointerCapture(e.pointerId);
  });
  canvas.addEventListener("pointermove", (e) => {
    if (!held || e.buttons === 0) return;
    moved += Math.abs(e.movementX) + Math.abs(e.movementY);
    if (moved < 4) return;
    free(held);
    if (e.buttons === 1 && !e.shiftKey) held.orbit.turn(e.movementX * 0.006, e.movementY * 0.006);
    else held.orbit.pan(e.movementX / held.height, e.movementY / held.height);
    panes.touch();
  });
  canvas.addEventListener("pointerup", (e) => {
    if (held && moved < 4) click?.(held, e.offsetX, e.offsetY);
    held = null;
  });
  canvas.addEventListener(
    "wheel",
    (e) => {
      const under = panes.paneAt(e.offsetX, e.offsetY);
      if (!under || !wheel(e)) return;
      e.preventDefault();
      free(under);
      under.orbit.zoom(Math.exp(e.deltaY * 0.001));
      panes.touch();
    },
    { passive: false },
  );
  canvas.addEventListener("keydown", (e) => {
    const pane = last && panes.panes.includes(last) ? last : panes.panes[0];
    const steps: Record<string, [number, number]> = { ArrowLeft: [0.08, 0], ArrowRight: [-0.08, 0], ArrowUp: [0, -0.06], ArrowDown: [0, 0.06] };
    const step = steps[e.key];
    if (!pane || (!step && e.key !== "+" && e.key !== "-")) return;
    free(pane);
    if (step && e.shiftKey) pane.orbit.pan(step[0], -step[1]);
    else if (step) pane.orbit.turn(...step);
    else pane.orbit.zoom(e.key === "+" ? 0.9 : 1.11);
    e.preventDefault();
    panes.touch();
  });
}
