// Two subscriptions make one crowd: what moves comes with every step, what seldom changes comes when it does.
//
// Statuses are words and goals and radii stay for long, so one subscription for all would send and read them over and
// over; in a subscription of their own, of changed rows alone, they cost next to nothing.
import { NOBODY, statusCode, turnCode, type CrowdFrame } from "./frame.ts";

/** A frame of the stream: every agent of a subscription in columns, vectors flat. */
export interface Columns {
  readonly step: number;
  readonly time: number;
  readonly ids: Float64Array;
  readonly columns: Readonly<Record<string, Float64Array | Float32Array | readonly (string | boolean)[]>>;
}

type Slow = Pick<CrowdFrame, "radius" | "maxSpeed" | "goal" | "status" | "cooperation" | "waitsFor">;

/** Subscribed fields of both. */
export const MOTION_FIELDS = ["position", "velocity"] as const;
export const TRAIT_FIELDS = ["radius", "max_speed", "goal", "status", "cooperation", "waits_for"] as const;

export class Merger {
  private newest: CrowdFrame | null = null;
  private traits: { readonly ids: Float64Array; readonly rows: Map<number, number>; readonly slow: Slow } | null = null;

  /** Everybody's positions and velocities at a step. */
  motion(message: Columns): CrowdFrame {
    const ids = sameNumbers(this.newest?.ids, message.ids) ? this.newest!.ids : message.ids;
    const frame: CrowdFrame = {
      step: message.step,
      time: message.time,
      ids,
      position: numbers(message.columns["position"]),
      velocity: numbers(message.columns["velocity"]),
      ...this.slow(ids),
    };
    this.newest = frame;
    return frame;
  }

  /** Everybody's slow values; the newest frame with them, where there is one. */
  slowValues(message: Columns): CrowdFrame | null {
    const before = this.traits;
    const ids = before !== null && sameNumbers(before.ids, message.ids) ? before.ids : message.ids;
    const slow = this.converted(message);
    const rows = ids === before?.ids ? before.rows : new Map(Array.from(ids, (id, row) => [id, row]));
    this.traits = { ids, rows, slow };
    if (this.newest === null) return null;
    this.newest = { ...this.newest, ...this.slow(this.newest.ids) };
    return this.newest;
  }

  // columns that did not change are the same arrays, and so are what they were turned into
  private sources: Readonly<Record<string, unknown>> = {};

  private converted(message: Columns): Slow {
    const { columns } = message;
    const count = message.ids.length;
    const before = this.traits?.slow;
    const kept = <Name extends keyof Slow>(name: Name, source: string, make: () => Slow[Name]): Slow[Name] =>
      before !== undefined && this.sources[source] === columns[source] ? before[name] : make();
    const slow: Slow = {
      radius: kept("radius", "radius", () => numbers(columns["radius"])),
      maxSpeed: kept("maxSpeed", "max_speed", () => numbers(columns["max_speed"])),
      goal: kept("goal", "goal", () => numbers(columns["goal"])),
      status: kept("status", "status", () => codes(columns["status"] as readonly string[], statusCode)),
      // a server that is older than this page tells nothing of turns
      cooperation: kept("cooperation", "cooperation", () => codes((columns["cooperation"] ?? Array(count).fill("none")) as readonly string[], turnCode)),
      waitsFor: kept("waitsFor", "waits_for", () => numbers(columns["waits_for"] ?? new Float32Array(count).fill(NaN))),
    };
    this.sources = columns;
    return slow;
  }

  /** Slow values in the order of other ids; who is not known yet is as agents are by default. */
  private slow(ids: Float64Array): Slow {
    const traits = this.traits;
    if (traits !== null && sameNumbers(traits.ids, ids)) return traits.slow;
    const slow: Slow = {
      radius: new Float32Array(ids.length).fill(0.5),
      maxSpeed: new Float32Array(ids.length).fill(1.5),
      goal: new Float32Array(2 * ids.length).fill(NaN),
      status: new Uint8Array(ids.length).fill(1),
      cooperation: new Uint8Array(ids.length),
      waitsFor: new Float32Array(ids.length).fill(NaN),
    };
    if (traits === null) return slow;
    ids.forEach((id, row) => {
      const from = traits.rows.get(id);
      if (from === undefined) return;
      slow.radius[row] = traits.slow.radius[from]!;
      slow.maxSpeed[row] = traits.slow.maxSpeed[from]!;
      slow.status[row] = traits.slow.status[from]!;
      slow.cooperation[row] = traits.slow.cooperation[from]!;
      slow.waitsFor[row] = traits.slow.waitsFor[from]!;
      slow.goal[2 * row] = traits.slow.goal[2 * from]!;
      slow.goal[2 * row + 1] = traits.slow.goal[2 * from + 1]!;
    });
    return slow;
  }

  /** Another world, or the same anew. */
  clear(): void {
    this.newest = null;
    this.traits = null;
    this.sources = {};
  }

  get frame(): CrowdFrame {
    return this.newest ?? NOBODY;
  }
}

function numbers(column: Columns["columns"][string] | undefined): Float32Array {
  if (column instanceof Float32Array) return column;
  return column === undefined ? new Float32Array(0) : Float32Array.from(column as ArrayLike<number>);
}

function codes(words: readonly string[], code: (word: string) => number): Uint8Array {
  const made = new Uint8Array(words.length);
  for (let row = 0; row < words.length; row += 1) made[row] = code(words[row]!);
  return made;
}

function sameNumbers(one: Float64Array | undefined, other: Float64Array): boolean {
  if (one === other) return true;
  if (one === undefined || one.length !== other.length) return false;
  for (let at = 0; at < one.length; at += 1) if (one[at] !== other[at]) return false;
  return true;
}
