// The world that is open: its frames, its walls and areas, its clock. No element of the page is known here.
import type { CrowdEvent, World, WorldDescription } from "@orca-crowd/client";
import type { Access } from "../access/access.ts";
import { Feed, type ConnectionState } from "./feed.ts";
import { NOBODY, type CrowdFrame } from "./frame.ts";
import { BARE, type Area, type Obstacle, type Scenery } from "./geometry.ts";
import { Playhead } from "./playhead.ts";
import { FrameRing } from "./ring.ts";

/** What the kept frames may take. */
export const RING_BYTES = 96 * 2 ** 20;

/** A stream that broke off is begun anew after so long. */
const ANEW_MILLISECONDS = 2000;

export interface SessionEvents {
  frame(frame: CrowdFrame): void;
  event(event: CrowdEvent): void;
  connection(state: ConnectionState, words: string): void;
  /** Clock, name or counts are others, or another world is open. */
  described(): void;
  scenery(): void;
  refused(error: unknown): void;
}

export class Session {
  readonly ring = new FrameRing(RING_BYTES);
  readonly playhead = new Playhead(this.ring);
  scenery: Scenery = BARE;
  description: WorldDescription | null = null;
  private world: World | null = null;
  // the world that is shown is gone or has failed: what was seen of it stays in view
  private over = false;
  private feed: Feed | null = null;
  // the speed that play goes back to, as simulated seconds a second
  private factor: number | null = null;

  constructor(private readonly access: Access, private readonly events: SessionEvents) {}

  /** The world, for calls that are not here; throws where none is open. */
  get open(): World {
    if (this.world === null) throw new Error("Open a world first.");
    return this.world;
  }

  get id(): string | null {
    return this.world?.id ?? null;
  }

  get runs(): boolean {
    return this.description?.clock.mode === "realtime" && !this.over;
  }

  /** Whether there is a world that still takes orders. */
  get alive(): boolean {
    return this.world !== null && !this.over;
  }

  /** Whether steps may be asked for. */
  get steppable(): boolean {
    return this.description?.clock.mode === "manual" && !this.over;
  }

  get newest(): CrowdFrame {
    return this.ring.newest ?? NOBODY;
  }

  takeCost(): number {
    return this.feed?.takeCost() ?? 0;
  }

  /** Open a world; the one before is left as it is. Throws what the server refuses with. */
  async enter(id: string): Promise<void> {
    const world = this.access.client.world(id);
    const description = await world.describe();
    this.leave();
    this.world = world;
    this.description = description;
    this.factor = null;
    await this.loadScenery();
    this.watch(world);
    this.events.described();
  }

  private watch(world: World): void {
    this.feed = new Feed(world, {
      frame: (frame) => this.take(world, frame),
      event: (event) => this.events.event(event),
      connection: (state, words) => {
        this.events.connection(state, words);
        if (state !== "ended") return;
        this.over = true;
        this.events.described();
      },
      returned: () => void this.refresh().catch(() => undefined),
      refused: (error) => this.events.refused(error),
      broken: () => window.setTimeout(() => world === this.world && this.watch(world), ANEW_MILLISECONDS),
    });
  }

  /** Leave the world that is open. */
  leave(): void {
    this.feed?.close();
    this.feed = null;
    this.world = null;
    this.over = false;
    this.description = null;
    this.scenery = BARE;
    this.ring.clear();
    this.playhead.goLive();
    this.events.connection("none", "no world");
  }

  private take(world: World, frame: CrowdFrame): void {
    if (world !== this.world) return;
    this.ring.push(frame);
    this.events.frame(frame);
  }

  // ---- the clock

  // who presses twice means two things, one after the other
  private turn: Promise<void> = Promise.resolve();

  /** Do something to the clock once what was asked for before is done. */
  inTurn(action: () => Promise<void>): Promise<void> {
    const done = this.turn.then(action);
    this.turn = done.catch(() => undefined);
    return done;
  }

  /** Let the server's clock run, at the speed before or in real time. */
  async play(): Promise<void> {
    await this.setSpeed(this.speed);
  }

  async pause(): Promise<void> {
    this.factor = this.speed;
    this.told(await this.open.update({ clock: { mode: "manual" } }));
  }

  /** Take one step; in a world that runs, it is paused before. */
  async step(): Promise<void> {
    if (this.runs) await this.pause();
    await this.open.step(1);
  }

  /** Simulated seconds a second: as it runs, as it ran, or real time. */
  get speed(): number {
    const { description } = this;
    if (description?.clock.mode === "realtime" && description.clock.rate) return description.clock.rate * description.time_step;
    return this.factor ?? 1;
  }

  /** Run at so many simulated seconds a second. */
  async setSpeed(factor: number): Promise<void> {
    const rate = Number((factor / this.description!.time_step).toPrecision(9));
    this.told(await this.open.update({ clock: { mode: "realtime", rate } }));
  }

  /** Remember a speed for when it plays. */
  keepSpeed(factor: number): void {
    this.factor = factor;
    this.events.described();
  }

  // ---- what is not in the stream

  /** The server has told of the world. */
  told(description: WorldDescription): void {
    if (description.id !== this.world?.id) return;
    const before = this.description;
    this.description = description;
    this.events.described();
    if (before === null) return;
    if (before.geometry !== description.geometry) {
      void this.loadScenery().catch((error: unknown) => this.events.refused(error));
    }
    // a world that stands sends no frame when agents come or go
    if (!this.runs && description.agents !== this.newest.ids.length && description.step === this.newest.step) this.feed?.renew();
  }

  /** Ask how the world is. */
  async refresh(): Promise<void> {
    if (this.world === null) return;
    this.told(await this.world.describe());
  }

  /** Something was changed from here: show it at once, though no step is taken. */
  async changed(kind: "scenery" | "agents"): Promise<void> {
    if (kind === "scenery") await this.loadScenery();
    else if (!this.runs) this.feed?.renew();
    await this.refresh();
  }

  private async loadScenery(): Promise<void> {
    const world = this.open;
    const [obstacles, areas] = await Promise.all([world.obstacles(), world.walkable()]);
    if (world !== this.world) return;
    this.scenery = { obstacles: obstacles as unknown as Obstacle[], areas: areas as unknown as Area[] };
    this.events.scenery();
  }
}
