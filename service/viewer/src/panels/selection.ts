// The chosen agent: marked in the picture, explained beside it, followed where wanted.
import { ApiError, ConnectionFailed } from "@orca-crowd/client";
import type { Access } from "../access/access.ts";
import type { Session } from "../world/session.ts";
import { rowOf, type CrowdFrame } from "../world/frame.ts";
import { Strokes } from "../drawing/marks.ts";
import { ExplainPanel } from "../explain/panel.ts";
import type { Explanation } from "../explain/picture.ts";
import { element, say } from "./page.ts";
import { permit } from "./permits.ts";

export interface SelectionEvents {
  changed(): void;
  guard(action: () => Promise<void>): void;
}

/** Explanations are asked for at most so often, in milliseconds. */
const EVERY = 250;

export class Selection {
  id: number | null = null;
  following = false;
  private readonly panel = new ExplainPanel(element("explain"));
  private asking = false;
  private askedAt = -Infinity;
  private askedStep = -1;
  private again = 0;

  constructor(private readonly session: Session, private readonly access: Access, private readonly events: SelectionEvents) {
    element("agent-close").addEventListener("click", () => this.choose(null));
    element("follow").addEventListener("click", () => this.follow(!this.following));
    element("following-end").addEventListener("click", () => this.follow(false));
    element("agent-remove").addEventListener("click", () => this.remove());
  }

  /** Choose an agent, or nobody. */
  choose(id: number | null): void {
    if (id === this.id) return;
    this.id = id;
    this.following = false;
    this.askedStep = -1;
    element("agent").hidden = id === null;
    if (id !== null) {
      say(element("agent-title"), `Agent ${id}`);
      this.panel.show(null, "Asking…");
      this.askedAt = -Infinity;
      this.update();
    }
    this.showFollowing();
    this.events.changed();
  }

  /** Another key allows other things. */
  permit(): void {
    permit(element<HTMLButtonElement>("agent-remove"), this.access, "control");
  }

  follow(on: boolean): void {
    this.following = on && this.id !== null;
    this.showFollowing();
    this.events.changed();
  }

  private showFollowing(): void {
    element("follow").setAttribute("aria-pressed", String(this.following));
    element("following").hidden = !this.following;
    if (this.following) say(element("following-text"), `Following agent ${this.id}`);
  }

  private remove(): void {
    const { id } = this;
    if (id === null) return;
    this.events.guard(async () => {
      await this.session.open.removeAgents([id]);
      this.choose(null);
      await this.session.changed("agents");
    });
  }

  /** A newer step is there: ask for its explanation, no more often than it can be read. */
  update(): void {
    if (this.id === null || this.asking || this.askedStep === this.session.newest.step) return;
    const wait = EVERY - (performance.now() - this.askedAt);
    window.clearTimeout(this.again);
    if (wait > 0) this.again = window.setTimeout(() => this.update(), wait);
    else void this.ask(this.id);
  }

  private async ask(id: number): Promise<void> {
    this.asking = true;
    this.askedAt = performance.now();
    this.askedStep = this.session.newest.step;
    try {
      const explanation = (await this.session.open.explain(id)) as unknown as Explanation;
      if (this.id === id) this.panel.show(explanation);
    } catch (error) {
      if (this.id !== id) return;
      if (error instanceof ApiError && error.status === 410) this.panel.show(null, "This agent has been removed.");
      else if (!(error instanceof ConnectionFailed)) this.panel.show(null, error instanceof Error ? error.message : String(error));
    } finally {
      this.asking = false;
      if (this.session.newest.step !== this.askedStep) this.update();
    }
  }

  /** Where the chosen agent is in a frame, `lag` seconds before its step; null where it is not. */
  place(frame: CrowdFrame, lag: number): readonly [number, number] | null {
    const row = this.id === null ? -1 : rowOf(frame, this.id);
    if (row < 0) return null;
    return [
      frame.position[2 * row]! - lag * frame.velocity[2 * row]!,
      frame.position[2 * row + 1]! - lag * frame.velocity[2 * row + 1]!,
    ];
  }

  /** A ring around it, and the way to its goal. */
  strokes(frame: CrowdFrame, lag: number, pixel: number): Strokes {
    const strokes = new Strokes();
    const place = this.place(frame, lag);
    if (place === null) return strokes;
    const row = rowOf(frame, this.id!);
    const radius = Math.max(frame.radius[row]!, 3 * pixel) + 3.5 * pixel;
    strokes.ring(...place, radius);
    const [goalX, goalY] = [frame.goal[2 * row]!, frame.goal[2 * row + 1]!];
    const far = Math.hypot(goalX - place[0], goalY - place[1]);
    if (far > radius) {
      const [dx, dy] = [(goalX - place[0]) / far, (goalY - place[1]) / far];
      // dashes of the same length on the screen at any zoom
      const dash = Math.max(8 * pixel, far / 200);
      for (let at = radius; at < far; at += 2 * dash) {
        const end = Math.min(at + dash, far);
        strokes.line(place[0] + dx * at, place[1] + dy * at, place[0] + dx * end, place[1] + dy * end);
      }
      strokes.cross(goalX, goalY, 5 * pixel);
    }
    return strokes;
  }
}
