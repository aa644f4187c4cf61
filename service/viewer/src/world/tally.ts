// How the crowd of a scene fares, from the frames that have been seen: who has arrived and when, the deepest overlap,
// the flow across a gate, how much everybody turns. What no frame showed is not known.
import { speedOf, type CrowdFrame } from "./frame.ts";

export type Point = readonly [number, number];
export type Gate = readonly [Point, Point];

/** What counts in a scene, beside who is where. */
export interface Counting {
  /** Line across which its flow is counted. */
  readonly gate: Gate | null;
  /** How near to its goal somebody has arrived. Its status comes apart from its position, and may be late by a frame. */
  readonly arrival: number;
  /** Whether it is counted how much everybody turns. */
  readonly turning: boolean;
}

/** Who is slower than this, in metres a second, goes in no direction. */
const SLOWEST = 0.05;

export class Tally {
  /** Seconds of the world at which the last one seen to arrive did. */
  last: number | null = null;
  /** Metres by which the two discs overlapped that overlapped deepest. */
  overlap = 0;
  private readonly there = new Set<number>();
  private readonly through = new Map<number, number>();
  private readonly directions = new Map<number, Point>();
  private degrees = 0;
  private before: CrowdFrame | null = null;

  constructor(private readonly counting: Counting) {}

  get arrived(): number {
    return this.there.size;
  }

  /** Agents a second across the gate, from the first to the last so far; null without a gate, or with fewer than two. */
  get flow(): number | null {
    const times = [...this.through.values()];
    const lasted = Math.max(...times) - Math.min(...times);
    return times.length > 1 && lasted > 0 ? (times.length - 1) / lasted : null;
  }

  /** Degrees by which each has turned on its way, to either side, on average; null where that is not counted. */
  get turned(): number | null {
    return this.counting.turning && this.before !== null && this.before.ids.length > 0 ? this.degrees / this.before.ids.length : null;
  }

  /** Look at a frame; older ones than the newest seen are left out. */
  see(frame: CrowdFrame): void {
    const before = this.before;
    if (before !== null && frame.step <= before.step) return;
    if (this.counting.turning) this.turn(frame);
    frame.ids.forEach((id, row) => {
      if (this.there.has(id) || !this.arrives(frame, row)) return;
      this.there.add(id);
      this.last = frame.time;
    });
    this.overlap = Math.max(this.overlap, deepest(frame));
    const { gate } = this.counting;
    if (gate !== null && before !== null && before.ids === frame.ids) this.pass(before, frame, gate);
    this.before = frame;
  }

  private arrives(frame: CrowdFrame, row: number): boolean {
    const { arrival } = this.counting;
    const dx = frame.position[2 * row]! - frame.goal[2 * row]!;
    const dy = frame.position[2 * row + 1]! - frame.goal[2 * row + 1]!;
    return dx * dx + dy * dy <= arrival * arrival;
  }

  private turn(frame: CrowdFrame): void {
    frame.ids.forEach((id, row) => {
      if (this.there.has(id) || speedOf(frame, row) <= SLOWEST) return;
      const x = frame.velocity[2 * row]!;
      const y = frame.velocity[2 * row + 1]!;
      const was = this.directions.get(id);
      if (was !== undefined) this.degrees += Math.abs(Math.atan2(was[0] * y - was[1] * x, was[0] * x + was[1] * y)) * (180 / Math.PI);
      this.directions.set(id, [x, y]);
    });
  }

  private pass(before: CrowdFrame, frame: CrowdFrame, [[ax, ay], [bx, by]]: Gate): void {
    const ux = bx - ax;
    const uy = by - ay;
    frame.ids.forEach((id, row) => {
      const side = ux * (before.position[2 * row + 1]! - ay) - uy * (before.position[2 * row]! - ax) > 0;
      const x = frame.position[2 * row]! - ax;
      const y = frame.position[2 * row + 1]! - ay;
      const along = (ux * x + uy * y) / (ux * ux + uy * uy);
      const crossed = side !== ux * y - uy * x > 0 && along >= 0 && along <= 1;
      if (crossed && !this.through.has(id)) this.through.set(id, frame.time);
    });
  }
}

/** The deepest overlap of any two discs, 0 where none touch: along x, so that only neighbours are looked at. */
export function deepest({ position, radius }: CrowdFrame): number {
  const rows = Uint32Array.from(radius, (_, row) => row).sort((a, b) => position[2 * a]! - position[2 * b]!);
  const reach = 2 * radius.reduce((largest, one) => Math.max(largest, one), 0);
  let found = 0;
  for (let first = 0; first < rows.length; first += 1) {
    const a = rows[first]!;
    for (let second = first + 1; second < rows.length; second += 1) {
      const b = rows[second]!;
      const dx = position[2 * b]! - position[2 * a]!;
      if (dx >= reach) break;
      const dy = position[2 * b + 1]! - position[2 * a + 1]!;
      found = Math.max(found, radius[a]! + radius[b]! - Math.sqrt(dx * dx + dy * dy));
    }
  }
  return found;
}
