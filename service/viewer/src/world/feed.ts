// The streams of one world, from the first connection to the last word: frames and events out, and how it stands.
import {
  ApiError, StreamClosed, StreamRefused, WorldFailed, WorldGone,
  type CrowdEvent, type Frame, type Stream, type Subscription, type World,
} from "@orca-crowd/client";
import { MOTION_FIELDS, Merger, TRAIT_FIELDS } from "./merger.ts";
import type { CrowdFrame } from "./frame.ts";

export type ConnectionState = "none" | "connecting" | "live" | "reconnecting" | "ended";

export interface FeedEvents {
  /** A newer state, or the newest one with newer slow values. */
  frame(frame: CrowdFrame): void;
  event(event: CrowdEvent): void;
  connection(state: ConnectionState, words: string): void;
  /** Connected again: what is not in the stream may be other than before. */
  returned(): void;
  refused(error: Error): void;
  /** What came could not be used: whoever made this feed may make another. */
  broken(): void;
}

// a page is looked at for hours, so it waits for its server for as long
const RECONNECT = { attempts: Number.MAX_SAFE_INTEGER, first: 0.25, factor: 1.6, longest: 5 };
const MOTION: Subscription = { fields: [...MOTION_FIELDS], precision: "float32", delivery: "latest", window: 3 };
const TRAITS: Subscription = { fields: [...TRAIT_FIELDS], precision: "float32", delivery: "latest", window: 3 };

export class Feed {
  private readonly merger = new Merger();
  private readonly motion: Stream;
  private readonly traits: Stream;
  private ended = false;
  private lost = false;

  /** Connects at once. */
  constructor(world: World, private readonly events: FeedEvents) {
    events.connection("connecting", "connecting…");
    this.traits = world.stream({ ...TRAITS, reconnect: RECONNECT });
    this.motion = world.stream({ ...MOTION, reconnect: RECONNECT });
    this.traits.on("state", (frame) => this.timed(() => this.merger.slowValues(columnsOf(frame))));
    this.motion.on("state", (frame) => this.timed(() => this.merger.motion(columnsOf(frame))));
    this.motion.on("event", (event) => events.event(event));
    this.motion.on("hello", () => this.connected());
    this.motion.on("lost", () => {
      this.lost = true;
      events.connection("reconnecting", "connection lost, trying again…");
    });
    for (const stream of [this.traits, this.motion]) {
      stream.on("error", (error) => events.refused(error));
      stream.on("closed", (error) => this.over(error));
    }
  }

  /** Milliseconds of the main thread that messages took since this was last asked. */
  takeCost(): number {
    const cost = this.cost;
    this.cost = 0;
    return cost;
  }

  private cost = 0;

  /** Ask for the whole state anew, as is needed where a world that stands was changed. */
  renew(): void {
    this.traits.subscribe(TRAITS);
    this.motion.subscribe(MOTION);
  }

  close(): void {
    this.ended = true;
    this.motion.close();
    this.traits.close();
  }

  private timed(take: () => CrowdFrame | null): void {
    if (this.ended) return;
    const start = performance.now();
    const frame = take();
    if (frame !== null) this.events.frame(frame);
    this.cost += performance.now() - start;
  }

  private connected(): void {
    this.events.connection("live", "live");
    if (this.lost) this.events.returned();
    this.lost = false;
  }

  private over(error: Error): void {
    if (this.ended) return;
    this.close();
    const gone = error instanceof WorldGone || (error instanceof ApiError && [404, 410].includes(error.status));
    const failed = error instanceof WorldFailed || (error instanceof ApiError && error.code === "world-failed");
    const barred = error instanceof StreamRefused || (error instanceof ApiError && [401, 403].includes(error.status));
    if (!(error instanceof StreamClosed || error instanceof ApiError)) {
      this.events.connection("reconnecting", "the stream broke off, starting anew…");
      this.events.broken();
      return;
    }
    const words = gone ? "this world is gone" : failed ? "this world has failed" : barred ? "not allowed" : `ended: ${error.message}`;
    this.events.connection("ended", words);
  }
}

function columnsOf(frame: Frame): Parameters<Merger["motion"]>[0] {
  return frame as Parameters<Merger["motion"]>[0];
}
