// /system.json: what is shown. The fields are those of master/view/README.md.
import { parseShown } from "./printable";

export interface Signal {
  name: string;
  unit: string;
  shown?: { unit: string; factor: number; offset: number };
  causality: string;
  type: string;
  description?: string;
  min?: number;
  max?: number;
  start?: number;
  input?: boolean;
  tunable?: boolean;
}
export interface ArrayInfo {
  name: string;
  unit: string;
  dimensions: number[];
  type: string;
}
export interface Component {
  name: string;
  kind?: string;
  source?: string;
  step?: number;
  geometry?: { x1: number; y1: number; x2: number; y2: number };
}
export interface Wire {
  from: string;
  fromName: string;
  to: string;
  toName: string;
  label?: string;
  signal?: number;
  hold?: string;
  order?: number;
  error?: number; // largest coupling error, in the signal's unit; of a recording with an error bar
  share?: number; // of the nominal value or the range
}
export interface MachineInfo {
  name: string;
  urdf: string;
  poses?: number;
  unknown?: boolean; // nothing says where it is
  joints?: Record<string, { signal: number; factor: number; offset: number }>;
}
export interface CameraInfo {
  name: string;
  machine?: string;
  link?: string;
  from: [number, number, number];
  to: [number, number, number];
  fov?: number;
  orthographic?: boolean;
}
export interface OperatorInfo {
  deadZone: number;
  curve: number;
  axes: { name: string; input: number; least?: number; most?: number }[];
  patterns: { name: string; levers: { lever: string; axis: string; sign: number }[] }[];
}
export interface ViewInfo {
  machines?: MachineInfo[];
  wall?: { heights?: number; unknown?: boolean; radius: number; thickness: number; start: number; span: number; base: number; height: number; floor?: number };
  cloud?: { machine: string; sensor: string };
  edge?: { heights: number; valid?: number; radius: number; start: number; span: number; machine: string; frame: string };
  lidar?: { machine: string; link: string; fov: number; range: number; curve?: string; first: number; second: number; ratio: number };
  tool?: { machine: string; pose?: number[]; box?: number[]; collision?: number; inside?: number; offset?: number };
  cameras?: CameraInfo[];
  operator?: OperatorInfo;
  plots?: { title: string; signals: number[] }[];
  files?: string[];
}
export interface System {
  protocol: number;
  name: string;
  title?: string;
  version?: string;
  mode: "live" | "replay" | "tele";
  start: number;
  stop?: number;
  step?: number;
  run: number;
  streams: string[];
  stops?: number[]; // replay: when each stream ends
  signals: Signal[];
  arrays: ArrayInfo[];
  components: Component[];
  wires: Wire[];
  boundary?: { name: string; input: boolean }[];
  buses?: string[]; // CAN, by name
  remarks?: string[]; // what a recording does not tell of the scene, and that its run failed
  findings?: { level: string; where: string; text: string }[]; // what was remarked about the run of a recording
  view?: ViewInfo | null;
}

export async function readSystem(answer: Response): Promise<System> {
  return parseShown(await answer.text()) as System;
}

/** A signal's value in the unit it is to be shown in. */
export function shownValue(signal: Signal, value: number): number {
  return signal.shown ? signal.shown.factor * value + signal.shown.offset : value;
}
export function shownUnit(signal: Signal): string {
  return signal.shown ? signal.shown.unit : signal.unit;
}
