// How the crowd of a scene fares, from the frames that have been seen: who has arrived and when, the deepest overlap,
// the flow across a gate. What no frame showed is not known.
import { STATUSES, type CrowdFrame } from "./frame.ts";

const ARRIVED: ReadonlySet<number> = new Set(STATUSES.flatMap((status, code) => (status.startsWith("arrived") ? [code] : [])));

export type Point = readonly [number, number];
export type Gate = readonly [Point, Point];

export class Tally {
  /** Seconds of the world at which the last one seen to arrive did. */
  last: number | null = null;
  /** Metres by which the two discs overlapped that overlapped deepest. */
  overlap = 0;
  private readonly there = new Set<number>();
  private readonly through = new Map<number, number>();
  private before: CrowdFrame | null = null;

  constructor(private readonly gate: Gate | null) {}

  get arrived(): number {
    return this.there.size;
  }

  /** Agents a second across the gate, from the first to the last so far; null without a gate, or with fewer than two. */
  get flow(): number | null {
    const times = [...this.through.values()];
    const lasted = Math.max(...times) - Math.min(...times);
    return times.length > 1 && lasted > 0 ? (times.length - 1) / lasted : null;
  }

  /** Look at a frame; older ones than the newest seen are left out. */
  see(frame: CrowdFrame): void {
    const before = this.before;
    if (before !== null && frame.step <= before.step) return;
    frame.ids.forEach((id, row) => {
      if (!ARRIVED.has(frame.status[row]!) || this.there.has(id)) return;
      this.there.add(id);
      this.last = frame.time;
    });
    this.overlap = Math.max(this.overlap, deepest(frame));
    if (this.gate !== null && before !== null && before.ids === frame.ids) this.pass(before, frame, this.gate);
    this.before = frame;
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
