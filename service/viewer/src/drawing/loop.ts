// Draws when there is something to draw, once a frame of the screen, and remembers what it took.

/** How many measurements are kept. */
const KEPT = 600;

export class Loop {
  /** Milliseconds of the main thread for each frame drawn: messages taken in since the last one, and the drawing. */
  readonly frameTimes: number[] = [];
  /** Frames drawn so far. */
  drawn = 0;
  private asked = false;

  /** `draw` says whether it wants the next frame too; `messages` what messages took since it was last asked. */
  constructor(private readonly draw: (now: number) => boolean, private readonly messages: () => number) {}

  /** Draw with the next frame of the screen. */
  request(): void {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame((now) => {
      this.asked = false;
      const start = performance.now();
      const again = this.draw(now);
      this.frameTimes.push(performance.now() - start + this.messages());
      if (this.frameTimes.length > KEPT) this.frameTimes.shift();
      this.drawn += 1;
      if (again) this.request();
    });
  }
}
