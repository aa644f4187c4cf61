// The crowd at one step, as typed arrays of one row an agent, and how it grows out of the one before.
//
// A frame is never changed after it was made: the ring keeps it, the drawing uploads it, the charts count it. Arrays
// that did not change (ids, radii, statuses most of the time) are shared between frames.

/** Statuses in the order of their codes. */
export const STATUSES = [
  "no-goal", "moving", "arrived", "stalled", "arrived-crowded", "blocked", "unreachable", "inside-obstacle",
] as const;
export type Status = (typeof STATUSES)[number];

/** What agents do by a plan for all of them, in the order of their codes. */
export const TURNS = ["none", "orca", "drift", "mapf", "yield"] as const;

export interface CrowdFrame {
  readonly step: number;
  readonly time: number;
  /** Ids in index order, (n). */
  readonly ids: Float64Array;
  /** x0 y0 x1 y1 …, (2n). */
  readonly position: Float32Array;
  readonly velocity: Float32Array;
  readonly radius: Float32Array;
  readonly maxSpeed: Float32Array;
  /** Goals, NaN where there is none, (2n). */
  readonly goal: Float32Array;
  /** Codes of STATUSES, (n). */
  readonly status: Uint8Array;
  /** Codes of TURNS, (n). */
  readonly cooperation: Uint8Array;
  /** Ids of those who are waited for, NaN for nobody, (n). */
  readonly waitsFor: Float32Array;
}

export const NOBODY: CrowdFrame = {
  step: 0,
  time: 0,
  ids: new Float64Array(0),
  position: new Float32Array(0),
  velocity: new Float32Array(0),
  radius: new Float32Array(0),
  maxSpeed: new Float32Array(0),
  goal: new Float32Array(0),
  status: new Uint8Array(0),
  cooperation: new Uint8Array(0),
  waitsFor: new Float32Array(0),
};

const CODES: ReadonlyMap<string, number> = new Map(STATUSES.map((status, code) => [status, code]));

/** Code of a status; what a newer server calls otherwise counts as moving. */
export function statusCode(name: string): number {
  return CODES.get(name) ?? 1;
}

/** Code of what an agent does by a plan; what a newer server calls otherwise counts as going by itself. */
export function turnCode(name: string): number {
  return Math.max(0, (TURNS as readonly string[]).indexOf(name));
}

/** Bytes that a frame holds beyond those it shares with the frame before. */
export function ownBytes(frame: CrowdFrame, before: CrowdFrame | undefined): number {
  let bytes = 128;
  for (const name of ["ids", "position", "velocity", "radius", "maxSpeed", "goal", "status", "cooperation", "waitsFor"] as const) {
    if (before === undefined || frame[name] !== before[name]) bytes += frame[name].byteLength;
  }
  return bytes;
}

/** Speed of a row; Math.hypot takes ten times as long as the root, and no velocity is so large that it would matter. */
export function speedOf(frame: CrowdFrame, row: number): number {
  const x = frame.velocity[2 * row]!;
  const y = frame.velocity[2 * row + 1]!;
  return Math.sqrt(x * x + y * y);
}

/** Row of an id, or -1; ids are in index order, which need not be ascending. */
export function rowOf(frame: CrowdFrame, id: number): number {
  return frame.ids.indexOf(id);
}

/** The agent whose disc is nearest to a point within `reach`, or null. */
export function nearest(frame: CrowdFrame, x: number, y: number, reach: number): number | null {
  let found: number | null = null;
  let least = reach;
  for (let row = 0; row < frame.ids.length; row += 1) {
    const dx = frame.position[2 * row]! - x;
    const dy = frame.position[2 * row + 1]! - y;
    const distance = Math.hypot(dx, dy) - frame.radius[row]!;
    if (distance < least) {
      least = distance;
      found = frame.ids[row]!;
    }
  }
  return found;
}
