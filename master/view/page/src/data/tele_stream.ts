// Packets of the teleoperation stream (interfaces/teleop/stream.hpp): little endian, 16 bytes of header.
export interface TelePose {
  kind: "pose";
  sequence: number;
  /** boom, adjust, arm, coupler, slew, rotate, jaw, pitch, roll; NaN: not available. */
  values: number[];
}
export interface TeleEdge {
  kind: "edge";
  sequence: number;
  heights: Float32Array; // m; NaN: not seen
}
export type TelePacket = TelePose | TeleEdge;

const header = 16, absent = -32768;

/** Null for what is no pose and no edge of exactly their size (a tag of 16 bytes may follow). */
export function decodePacket(view: DataView): TelePacket | null {
  if (view.byteLength < header || view.getUint8(0) !== 0x54 || view.getUint8(1) >> 4 !== 1) return null;
  const kind = view.getUint8(1) & 15;
  const sequence = view.getUint32(6, true);
  const size = view.byteLength - header;
  const number = (i: number, unit: number) => {
    const digits = view.getInt16(header + 2 * i, true);
    return digits === absent ? NaN : digits * unit;
  };
  if (kind === 1 && (size === 18 || size === 34)) return { kind: "pose", sequence, values: Array.from({ length: 9 }, (_, i) => number(i, 1e-4)) };
  if (kind === 2 && (size === 600 || size === 616)) return { kind: "edge", sequence, heights: Float32Array.from({ length: 300 }, (_, i) => number(i, 1e-3)) };
  return null;
}
