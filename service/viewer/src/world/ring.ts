// The newest frames, as many as fit into so many bytes: what the scrubber goes back through and trails are drawn from.
import { ownBytes, type CrowdFrame } from "./frame.ts";

export class FrameRing {
  private kept: (CrowdFrame | undefined)[] = [];
  private sizes: number[] = [];
  private first = 0;
  private held = 0;

  /** Keeps at most `limit` bytes, and the newest frame whatever its size. */
  constructor(readonly limit: number) {}

  get length(): number {
    return this.kept.length - this.first;
  }

  get bytes(): number {
    return this.held;
  }

  /** The newest frame. */
  get newest(): CrowdFrame | undefined {
    return this.length > 0 ? this.kept[this.kept.length - 1] : undefined;
  }

  /** A kept frame, 0 the oldest. */
  at(index: number): CrowdFrame | undefined {
    return index < 0 ? undefined : this.kept[this.first + index];
  }

  /** Add a newer frame; one of the same step takes the place of the newest. Returns how many old ones were dropped. */
  push(frame: CrowdFrame): number {
    const newest = this.newest;
    if (newest !== undefined && frame.step < newest.step) this.clear();
    if (newest !== undefined && frame.step === newest.step && this.length > 0) {
      this.kept.pop();
      this.held -= this.sizes.pop()!;
    }
    const size = ownBytes(frame, this.newest);
    this.kept.push(frame);
    this.sizes.push(size);
    this.held += size;
    let dropped = 0;
    while (this.held > this.limit && this.length > 1) {
      this.held -= this.sizes[this.first]!;
      this.kept[this.first] = undefined;
      this.first += 1;
      dropped += 1;
    }
    // empty places are cut off in batches, so that a push costs the same however many are kept
    if (this.first > 256) {
      this.kept = this.kept.slice(this.first);
      this.sizes = this.sizes.slice(this.first);
      this.first = 0;
    }
    return dropped;
  }

  clear(): void {
    this.kept = [];
    this.sizes = [];
    this.first = 0;
    this.held = 0;
  }

  /** Index of the last frame whose step is at most `step`; 0 where all are later. */
  find(step: number): number {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.at(middle)!.step <= step) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }
}
