// Measures for the charts: events of the stream, the crowd as it is, and how long the server's steps take.
import type { CrowdEvent } from "@orca-crowd/client";
import type { Access } from "../access/access.ts";
import type { Session } from "../world/session.ts";
import { STATUSES } from "../world/frame.ts";
import { Samples, histogram } from "./samples.ts";

const EVERY_MILLISECONDS = 1000;
/** Two minutes. */
const KEPT = 120;
const STALLED = STATUSES.indexOf("stalled");

export class Meter {
  readonly samples = new Samples(KEPT);
  private overlaps = 0;
  private before: { readonly sum: number; readonly count: number } | null = null;
  private readonly begun = performance.now();

  constructor(private readonly session: Session, private readonly access: Access, private readonly measured: () => void) {
    setInterval(() => void this.sample(), EVERY_MILLISECONDS);
  }

  event(event: CrowdEvent): void {
    if (event.kind === "overlap") this.overlaps += event.ids.length;
  }

  /** Another world: its charts begin anew. */
  restart(): void {
    this.samples.clear();
    this.overlaps = 0;
    this.measured();
  }

  private async sample(): Promise<void> {
    // who does not look needs no charts, and the server no questions
    if (this.session.ring.length === 0 || document.hidden || this.access.locked) return;
    const stepTime = await this.stepTime();
    const frame = this.session.newest;
    let stalled = 0;
    for (const status of frame.status) if (status === STALLED) stalled += 1;
    const seconds = (performance.now() - this.begun) / 1000;
    this.samples.add(seconds, { stepTime, agents: frame.ids.length, overlaps: this.overlaps, stalled });
    this.overlaps = 0;
    this.measured();
  }

  private async stepTime(): Promise<number | null> {
    try {
      const answer = await this.access.fetch("/metrics");
      if (!answer.ok) return null;
      const now = histogram(await answer.text(), "orca_crowd_step_seconds");
      const before = this.before;
      this.before = now;
      const steps = before === null ? 0 : now.count - before.count;
      return steps > 0 ? (1000 * (now.sum - before!.sum)) / steps : null;
    } catch {
      return null;
    }
  }
}
