// Which kept frame is looked at: the newest, which follows the world, or one of the past, which stands still.
import { NOBODY, type CrowdFrame } from "./frame.ts";
import type { FrameRing } from "./ring.ts";

export class Playhead {
  private past: CrowdFrame | null = null;

  constructor(private readonly ring: FrameRing) {}

  get live(): boolean {
    return this.past === null;
  }

  /** The frame to show. */
  get shown(): CrowdFrame {
    return this.past ?? this.ring.newest ?? NOBODY;
  }

  /** Place of what is shown among the kept frames; one that has been dropped since counts as the oldest. */
  get index(): number {
    return this.past === null ? Math.max(0, this.ring.length - 1) : this.ring.find(this.past.step);
  }

  /** Look at a kept frame; at the newest or beyond is live. */
  seek(index: number): void {
    this.past = index >= this.ring.length - 1 ? null : (this.ring.at(Math.max(0, index)) ?? null);
  }

  /** Move by so many kept frames. */
  move(frames: number): void {
    this.seek(this.index + frames);
  }

  goLive(): void {
    this.past = null;
  }

  /** Frames up to what is shown, the oldest first: at most `count`, every `stride`-th step or more apart. */
  before(count: number, stride: number): CrowdFrame[] {
    const found: CrowdFrame[] = [];
    const shown = this.shown;
    if (this.ring.length === 0) return found;
    found.push(shown);
    // the first frame of every stride, counted from step 0, so that the trail does not swim
    const stretch = (frame: CrowdFrame): number => Math.floor(frame.step / stride);
    for (let at = this.index - 1; at >= 0 && found.length <= count; at -= 1) {
      const frame = this.ring.at(at)!;
      const before = this.ring.at(at - 1);
      if (before === undefined || stretch(before) < stretch(frame)) found.push(frame);
    }
    return found.reverse();
  }
}
