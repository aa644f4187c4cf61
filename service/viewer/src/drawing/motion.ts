// A smooth way between two steps: how many seconds before its step a frame is shown, at a moment of the screen.

/** Longer pauses than this, in milliseconds, are pauses and no rhythm. */
const LONGEST = 400;

export class Motion {
  private arrived = 0;
  private interval = 100;
  private gap = 0;

  /** A newer frame came at `now` (milliseconds), `gap` seconds of the world after the one before. */
  arrival(now: number, gap: number): void {
    const since = now - this.arrived;
    // who comes in bursts is shown at the mean rhythm
    if (since < LONGEST) this.interval = 0.8 * this.interval + 0.2 * since;
    this.arrived = now;
    this.gap = Math.max(0, gap);
  }

  /** Seconds before the newest step to be shown now; 0 once the way is done. */
  lag(now: number): number {
    if (this.gap === 0) return 0;
    const part = Math.min(Math.max((now - this.arrived) / Math.max(this.interval, 1), 0), 1);
    if (part === 1) this.gap = 0;
    return this.gap * (1 - part);
  }

  /** Show the newest step as it is. */
  stop(): void {
    this.gap = 0;
  }
}
