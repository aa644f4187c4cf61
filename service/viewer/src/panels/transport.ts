// Play, pause, step, speed, and the scrubber through the kept steps.
import type { Access } from "../access/access.ts";
import type { Session } from "../world/session.ts";
import { counted, element, say, shown } from "./page.ts";
import { permit } from "./permits.ts";

/** Simulated seconds a second that are offered. */
export const SPEEDS: readonly number[] = [0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 20];

export interface TransportEvents {
  guard(action: () => Promise<void>): void;
  /** Another kept step is looked at. */
  sought(): void;
}

export class Transport {
  private readonly play = element<HTMLButtonElement>("play");
  private readonly single = element<HTMLButtonElement>("step");
  private readonly back = element<HTMLButtonElement>("back");
  private readonly speed = element<HTMLSelectElement>("speed");
  private readonly scrubber = element<HTMLInputElement>("scrubber");
  private dragging = false;

  constructor(private readonly session: Session, private readonly access: Access, private readonly events: TransportEvents) {
    this.play.addEventListener("click", () => this.togglePlay());
    this.single.addEventListener("click", () => this.step());
    this.back.addEventListener("click", () => this.stepBack());
    this.speed.addEventListener("change", () => {
      this.setSpeed(Number(this.speed.value));
      // the keys are for the world again
      this.speed.blur();
    });
    this.scrubber.addEventListener("input", () => this.seek(Number(this.scrubber.value)));
    for (const [kind, held] of [["pointerdown", true], ["pointerup", false], ["pointercancel", false]] as const) {
      this.scrubber.addEventListener(kind, () => (this.dragging = held));
    }
    element("live").addEventListener("click", () => this.goLive());
  }

  /** Play or pause; in the past, come back first. */
  togglePlay(): void {
    if (this.play.disabled) return;
    this.goLive();
    this.inTurn(() => (this.session.runs ? this.session.pause() : this.session.play()));
  }

  /** One step on: of the kept ones in the past, of the world otherwise. */
  step(): void {
    if (!this.session.playhead.live) return this.move(1);
    if (!this.single.disabled) this.inTurn(() => this.session.step());
  }

  stepBack(): void {
    this.move(-1);
  }

  /** The next slower or faster of the speeds offered. */
  shiftSpeed(by: 1 | -1): void {
    this.inTurn(async () => {
      // the speed that it has by then: keys may come faster than answers
      const now = this.session.speed;
      const next = by > 0 ? SPEEDS.find((speed) => speed > now * 1.001) : SPEEDS.filter((speed) => speed < now * 0.999).at(-1);
      if (next !== undefined && !this.speed.disabled) await this.giveSpeed(next);
    });
  }

  goLive(): void {
    this.session.playhead.goLive();
    this.events.sought();
  }

  private move(frames: number): void {
    this.session.playhead.move(frames);
    this.events.sought();
  }

  private seek(index: number): void {
    this.session.playhead.seek(index);
    this.events.sought();
  }

  private setSpeed(factor: number): void {
    this.inTurn(() => this.giveSpeed(factor));
  }

  private async giveSpeed(factor: number): Promise<void> {
    if (this.session.runs) await this.session.setSpeed(factor);
    else this.session.keepSpeed(factor);
  }

  private inTurn(action: () => Promise<void>): void {
    this.events.guard(() => this.session.inTurn(action));
  }

  /** The clock or the world is another. */
  showClock(): void {
    const { alive, description, runs, steppable } = this.session;
    const controllable = alive && description !== null && description.clock.mode !== ("barrier" as string);
    permit(this.play, this.access, "control", controllable);
    permit(this.single, this.access, "control", runs || steppable);
    permit(this.speed, this.access, "control", controllable);
    this.play.setAttribute("aria-label", runs ? "Pause" : "Play");
    this.play.querySelector("use")!.setAttribute("href", runs ? "#icon-pause" : "#icon-play");
    this.showSpeed();
  }

  private showSpeed(): void {
    const now = this.session.speed;
    const offered = SPEEDS.some((speed) => Math.abs(speed - now) < 1e-6) ? SPEEDS : [...SPEEDS, now].sort((a, b) => a - b);
    const options = offered.map((speed) => new Option(`${Number(speed.toPrecision(3))}×`, String(speed)));
    if (options.map((option) => option.value).join() !== [...this.speed.options].map((option) => option.value).join()) {
      this.speed.replaceChildren(...options);
    }
    this.speed.value = String(offered.find((speed) => Math.abs(speed - now) < 1e-6) ?? 1);
  }

  /** Another frame is shown, or newer ones were kept. */
  showFrame(): void {
    const { ring, playhead } = this.session;
    const { shown: frame, live } = playhead;
    const last = Math.max(0, ring.length - 1);
    this.scrubber.disabled = last === 0;
    this.scrubber.max = String(last);
    if (!this.dragging || live) this.scrubber.value = String(playhead.index);
    this.scrubber.setAttribute("aria-valuetext", live ? `step ${frame.step}, the newest` : `step ${frame.step}`);
    this.back.disabled = playhead.index === 0;
    document.body.toggleAttribute("data-past", !live);
    element("past").hidden = live;
    if (!live) {
      const ago = this.session.newest.time - frame.time;
      say(element("past-text"), `Looking back · step ${frame.step} · ${shown(ago, 1)} s ago`);
    }
    const known = this.session.id !== null;
    say(element("figure-step"), known ? counted(frame.step) : "–");
    say(element("figure-time"), known ? `${shown(frame.time, 1)} s` : "–");
    say(element("figure-agents"), known ? counted(frame.ids.length) : "–");
  }
}
