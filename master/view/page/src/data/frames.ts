// Binary frames from the server: little endian, a header of 20 bytes. Bytes are checked before they are believed.
import { parseShown } from "./printable";

export interface Header {
  stream: number;
  sequence: number;
  time: number;
  run: number;
}
export interface StateFrame extends Header {
  kind: "state";
  flags: number;
  factor: number; // simulated per real second; NaN: unknown
  age: number; // s between the snapshot and its sending
  values: Float64Array;
}
export interface CloudMessage extends Header {
  kind: "cloud";
  count: number;
  total: number;
  scale: number;
  pose: Float32Array;
  points: Int16Array;
  objects: Uint8Array;
}
export interface ArrayFrame extends Header {
  kind: "array";
  index: number;
  values: Float32Array;
}
export interface JsonFrame extends Header {
  kind: "json";
  message: Record<string, unknown>;
}
/** A datagram of the teleoperation stream, as it came. */
export interface PacketFrame extends Header {
  kind: "packet";
  bytes: DataView;
}
export type Frame = StateFrame | CloudMessage | ArrayFrame | JsonFrame | PacketFrame;

export const flag = { paused: 1, ended: 2, failed: 4, paced: 8, late: 16 };

const headerSize = 20;

/** Null for what is no frame of ours, or shorter than it says. */
export function decode(buffer: ArrayBuffer): Frame | null {
  if (buffer.byteLength < headerSize) return null;
  const view = new DataView(buffer);
  if (view.getUint8(1) !== 1) return null;
  const header: Header = {
    stream: view.getUint16(2, true),
    sequence: view.getUint32(4, true),
    time: view.getFloat64(8, true),
    run: view.getUint32(16, true),
  };
  switch (view.getUint8(0)) {
    case 1:
      return decodeState(view, header);
    case 2:
      return decodeCloud(view, header);
    case 3:
      return decodeArray(view, header);
    case 4:
      return decodeJson(view, header);
    case 5:
      return { kind: "packet", ...header, bytes: new DataView(buffer, headerSize) };
    default:
      return null;
  }
}

function decodeState(view: DataView, header: Header): StateFrame | null {
  if (view.byteLength < 48) return null;
  const count = view.getUint32(40, true);
  if (view.byteLength < 48 + 8 * count) return null;
  return {
    kind: "state",
    ...header,
    flags: view.getUint32(20, true),
    factor: view.getFloat64(24, true),
    age: view.getFloat64(32, true),
    values: new Float64Array(view.buffer as ArrayBuffer, 48, count),
  };
}

function decodeCloud(view: DataView, header: Header): CloudMessage | null {
  if (view.byteLength < 60) return null;
  const count = view.getUint32(20, true);
  if (view.byteLength < 60 + 7 * count) return null;
  return {
    kind: "cloud",
    ...header,
    count,
    scale: view.getFloat32(24, true),
    pose: new Float32Array(view.buffer as ArrayBuffer, 28, 7),
    total: view.getUint32(56, true),
    points: new Int16Array(view.buffer as ArrayBuffer, 60, 3 * count),
    objects: new Uint8Array(view.buffer as ArrayBuffer, 60 + 6 * count, count),
  };
}

function decodeArray(view: DataView, header: Header): ArrayFrame | null {
  if (view.byteLength < 28) return null;
  const count = view.getUint32(24, true);
  if (view.byteLength < 28 + 4 * count) return null;
  return { kind: "array", ...header, index: view.getUint32(20, true), values: new Float32Array(view.buffer as ArrayBuffer, 28, count) };
}

function decodeJson(view: DataView, header: Header): JsonFrame | null {
  try {
    const message = parseShown(new TextDecoder().decode(new Uint8Array(view.buffer as ArrayBuffer, headerSize)));
    if (typeof message !== "object" || message === null) return null;
    return { kind: "json", ...header, message: message as Record<string, unknown> };
  } catch {
    return null;
  }
}
