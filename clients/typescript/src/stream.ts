// A world's stream: frames and events to iterate over or to listen to, and commands and steps over the same socket.

import type { IdentifierArray } from "./columns.js";
import type { Command } from "./commands.js";
import { Connection, type ConnectionOptions, handshakeFailure } from "./connection.js";
import type { Data } from "./encoding.js";
import { type ApiError, ConnectionFailed, OrcaCrowdError, StreamClosed, TimedOut } from "./errors.js";
import { type Listener, Listeners, report } from "./listeners.js";
import type { Acknowledged, CrowdEvent, Stepped } from "./results.js";
import { Attempts, type Backoff, RECONNECTING } from "./retry.js";
import type { Frame } from "./state.js";
import { type StepOptions, commandsBody, freshKey, stepBody } from "./stepping.js";
import { type StreamItem, StreamState, pingKey } from "./stream-state.js";
import type { Hello, PingData, Subscription } from "./wire.js";

export interface StreamOptions extends Subscription {
  /** Whether to subscribe at all; false for a loop that only sends commands and steps. */
  readonly watch?: boolean;
  /** How often a connection that broke is made again; about half a minute. */
  readonly reconnect?: Backoff;
  /** Seconds without any message, heartbeats included, after which a connection counts as lost; 60. */
  readonly silence?: number;
}

/** What can be listened to, by the names of the wire; `state` stands for `full` and `frame`. */
export interface StreamEvents {
  hello: Hello;
  full: Frame;
  frame: Frame;
  state: Frame;
  event: CrowdEvent;
  ack: Readonly<Record<string, unknown>>;
  stepped: Readonly<Record<string, unknown>>;
  heartbeat: { readonly step: number };
  pong: { readonly data?: PingData | null };
  closing: { readonly reason: string };
  /** A refusal that names no request, such as that of a subscription. */
  error: ApiError;
  /** A connection broke and another one is tried. */
  lost: OrcaCrowdError;
  /** The stream is over. */
  closed: Error;
}

const ITEMS = ["full", "frame", "state", "event"] as const;
const TOLD = new Set(["hello", "ack", "stepped", "heartbeat", "pong", "closing"]);

/**
 * The stream of one world, over as many connections as it takes; made by `World.stream`.
 *
 * Read it with `for await`, or listen to it with `on`. While an iterator is in use it takes the items and listeners are
 * told as it does; without one, listeners take them. It connects when it is first used.
 */
export class Stream implements AsyncIterable<StreamItem> {
  readonly #options: ConnectionOptions;
  readonly #reconnect: Backoff;
  readonly #state: StreamState;
  // a server that never answered is given up soon, one that did is waited for
  readonly #attempts: Attempts;
  readonly #listeners = new Listeners<StreamEvents>();
  #connection: Connection | undefined;
  #running: Promise<void> | undefined;
  #ended: Error | undefined;
  #closedHere = false;
  #readers = 0;
  #pumping = false;
  #pings = 0;
  #wakers = new Set<() => void>();

  constructor(options: Omit<ConnectionOptions, "silence"> & { readonly connect: Backoff }, wanted: StreamOptions) {
    const { watch = true, reconnect = RECONNECTING, silence = 60, ...subscription } = wanted;
    this.#options = { ...options, silence };
    this.#reconnect = reconnect;
    this.#attempts = new Attempts(options.connect);
    this.#state = new StreamState(options.encoding, watch ? subscription : undefined);
  }

  /** What the server greeted with: world, step, time, time_step, profile, limits; undefined before it came. */
  get hello(): Hello | undefined {
    return this.#state.hello;
  }

  /** The last frame that was taken: every agent of the subscription. */
  get frame(): Frame | undefined {
    return this.#state.frame;
  }

  /** Step of the last heartbeat. */
  get heartbeat(): number | undefined {
    return this.#state.heartbeat;
  }

  // ---- reading

  /** Connect and wait for the greeting; throws what the server refuses it with. Everything else connects by itself. */
  async open(): Promise<Hello> {
    this.#start();
    while (this.#state.hello === undefined) {
      if (this.#ended !== undefined) throw this.#ended;
      await this.#change();
    }
    return this.#state.hello;
  }

  /** Iterate over frames and events as they come; ends where this side closed, throws where the server did. */
  async *[Symbol.asyncIterator](): AsyncGenerator<StreamItem, void, undefined> {
    this.#readers += 1;
    try {
      for (;;) yield await this.receive();
    } catch (error) {
      if (!(this.#closedHere && error instanceof StreamClosed)) throw error;
    } finally {
      this.#readers -= 1;
      void this.#pump();
    }
  }

  /** Iterate over the frames alone; events are passed over. */
  async *frames(): AsyncGenerator<Frame, void, undefined> {
    for await (const item of this) if (item.type !== "event") yield item;
  }

  /** Wait for the next frame or event; throws `TimedOut` after so many seconds, and can be called again then. */
  async receive(timeout?: number): Promise<StreamItem> {
    this.#start();
    const deadline = timeout === undefined ? undefined : performance.now() + timeout * 1000;
    this.#readers += 1;
    try {
      for (;;) {
        const taken = this.#take();
        if (taken !== undefined && "refusal" in taken) throw taken.refusal;
        if (taken !== undefined) {
          void this.#tell(taken.item);
          this.#credit(taken.credit);
          return taken.item;
        }
        if (this.#ended !== undefined) throw this.#ended;
        const left = deadline === undefined ? undefined : deadline - performance.now();
        if (left !== undefined && left <= 0) throw new TimedOut(`nothing came over ${this.#options.url} within ${timeout} s`);
        await this.#change(left);
      }
    } finally {
      this.#readers -= 1;
    }
  }

  /** Call `listener` for everything of that name; the function that is given back ends it. */
  on<Name extends keyof StreamEvents>(name: Name, listener: Listener<StreamEvents[Name]>): () => void {
    const off = this.#listeners.add(name, listener);
    this.#start();
    void this.#pump();
    return off;
  }

  // ---- what is seen

  /** Change what is seen; the first frame of the new subscription is full. */
  subscribe(subscription: Subscription = {}): void {
    this.#send(this.#state.subscribe(subscription));
  }

  /** See no more frames; events still come to listeners of `ack` and the like, but are not kept. */
  unsubscribe(): void {
    this.#send(this.#state.unsubscribe());
  }

  /** Go on after a step that was seen before. After a connection broke this happens by itself. */
  resume(afterStep: number, subscription?: Subscription): void {
    this.#send(this.#state.resume(afterStep, subscription));
  }

  /** Give credit for every frame up to `step`. For frames that were taken this happens by itself. */
  got(step: number): void {
    this.#send(this.#options.encoding.encode({ type: "got", step }));
  }

  // ---- orders

  /** Run commands, all or nothing; see `World.commands`. */
  command(commands: readonly Command[], options: { readonly key?: string } = {}): Promise<Acknowledged> {
    return this.#ask("command", commandsBody(this.#options.encoding, commands, options.key));
  }

  /** Take steps in a manual world; see `World.step`. */
  step(count = 1, options: StepOptions = {}): Promise<Stepped> {
    return this.#ask("step", stepBody(this.#options.encoding, { count, ...options }));
  }

  /** Be the controller of this name, over reconnects as well; `results[0].owned` are the agents that it owns. */
  async register(controller: string): Promise<Acknowledged> {
    const answer = await this.#ask<Acknowledged>("register", { controller, key: freshKey() });
    this.#state.controller = controller;
    return answer;
  }

  /** Be a controller no longer; what it owns stays its own. */
  unregister(): Promise<Acknowledged> {
    this.#state.controller = undefined;
    return this.#ask("unregister", { key: freshKey() });
  }

  /** Let nobody else order these agents, all of them or none; needs `register` first. */
  own(ids: IdentifierArray): Promise<Acknowledged> {
    return this.#ask("own", { ids: this.#options.encoding.identifierColumn(ids), key: freshKey() });
  }

  /** Give these agents back, all of them or none. */
  disown(ids: IdentifierArray): Promise<Acknowledged> {
    return this.#ask("disown", { ids: this.#options.encoding.identifierColumn(ids), key: freshKey() });
  }

  /** Have given all orders for the next step of a barrier world; answered once that step was taken. */
  ready(options: Omit<StepOptions, "expected_step"> & { readonly for_step?: number } = {}): Promise<Stepped> {
    return this.#ask("ready", stepBody(this.#options.encoding, options));
  }

  /** Ask for a `pong`; gives the data that came back with it. */
  async ping(data?: PingData): Promise<PingData> {
    const sent = data ?? `ping ${(this.#pings += 1)}`;
    return this.#ask("ping", { data: sent }, pingKey(sent));
  }

  /** Close the socket; iterators end, and requests without an answer fail. */
  close(): void {
    this.#closedHere = true;
    this.#connection?.close();
    this.#finish(new StreamClosed(1000, "by this side"));
  }

  // ---- inside

  async #ask<Answer>(type: string, body: Readonly<Record<string, unknown>>, key = String(body["key"])): Promise<Answer> {
    if (this.#ended !== undefined) throw this.#ended;
    this.#start();
    const { data, answer } = this.#state.request(key, { type, ...body });
    // before the first connection the request is sent by its opening
    this.#send(data);
    return (await answer) as Answer;
  }

  #send(data: Data): void {
    this.#start();
    this.#connection?.send(data);
  }

  #credit(credit: Data | undefined): void {
    if (credit !== undefined) this.#connection?.send(credit);
  }

  #start(): void {
    if (this.#running !== undefined || this.#ended !== undefined) return;
    this.#running = this.#run().catch((error: unknown) => this.#finish(error as Error));
  }

  /** Connect again and again, until the stream is over. */
  async #run(): Promise<void> {
    while (this.#ended === undefined) {
      const { opened, code, reason } = await this.#connect();
      if (this.#ended !== undefined) return;
      let failure: OrcaCrowdError = new ConnectionFailed(`the stream ${this.#options.url} broke: ${code} ${reason}`);
      if (opened) {
        const over = this.#state.closed(code, reason);
        if (over !== undefined) throw over;
        if (this.#state.progress) this.#attempts.renew(this.#reconnect);
      } else {
        const [why, again] = await handshakeFailure(this.#options);
        if (!again) throw why;
        failure = why;
      }
      const delay = this.#attempts.nextDelay();
      if (delay === undefined) throw failure;
      void this.#listeners.tell("lost", failure);
      const until = performance.now() + delay;
      // woken early by a close, and by whatever else changes
      for (let left = delay; left > 0 && this.#ended === undefined; left = until - performance.now()) {
        await this.#change(left);
      }
    }
  }

  async #connect(): Promise<{ opened: boolean; code: number; reason: string }> {
    const connection = await Connection.open(
      this.#options,
      () => this.#state.opening().forEach((message) => connection.send(message)),
      (data) => this.#receive(data),
    );
    if (this.#ended !== undefined) connection.close();
    this.#connection = connection;
    const ending = await connection.ended;
    this.#connection = undefined;
    return ending;
  }

  #receive(data: Data): void {
    if (this.#ended !== undefined) return;
    try {
      const message = this.#state.receive(data);
      const type = message["type"] as string;
      if (TOLD.has(type)) void this.#listeners.tell(type as "hello", message as Hello);
    } catch (error) {
      this.#connection?.close();
      this.#finish(error as Error);
    }
    this.#wake();
    void this.#pump();
  }

  /** Take an item; what cannot be merged ends the stream. */
  #take(): ReturnType<StreamState["take"]> {
    try {
      return this.#state.take();
    } catch (error) {
      this.#connection?.close();
      this.#finish(error as Error);
      throw error;
    }
  }

  /** Hand items to listeners, one after the other, while nobody reads. */
  async #pump(): Promise<void> {
    if (this.#pumping) return;
    this.#pumping = true;
    try {
      while (this.#readers === 0 && this.#isHeard()) {
        const taken = this.#take();
        if (taken === undefined) break;
        if ("refusal" in taken) {
          if (this.#listeners.has("error")) await this.#listeners.tell("error", taken.refusal);
          else report(taken.refusal);
        } else {
          await this.#tell(taken.item);
          this.#credit(taken.credit);
        }
      }
    } catch {
      // the stream has ended with it
    } finally {
      this.#pumping = false;
    }
  }

  /** Whether listeners take what comes; without a subscription only refusals come. */
  #isHeard(): boolean {
    return this.#listeners.has(...ITEMS) || (!this.#state.watching && this.#listeners.has("error"));
  }

  async #tell(item: StreamItem): Promise<void> {
    if (item.type === "event") return this.#listeners.tell("event", item);
    await this.#listeners.tell(item.type, item);
    await this.#listeners.tell("state", item);
  }

  #finish(error: Error): void {
    if (this.#ended !== undefined) return;
    this.#ended = error;
    this.#state.end(error);
    this.#wake();
    if (this.#listeners.has("closed")) void this.#listeners.tell("closed", error);
    // whoever only listens to frames would wait for ever
    else if (!this.#closedHere && this.#listeners.has(...ITEMS) && this.#readers === 0) report(error);
  }

  /** Wait until something came or ended, or for so many milliseconds. */
  #change(milliseconds?: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = milliseconds === undefined ? undefined : setTimeout(() => waker(), milliseconds);
      const waker = () => {
        clearTimeout(timer);
        this.#wakers.delete(waker);
        resolve();
      };
      this.#wakers.add(waker);
    });
  }

  #wake(): void {
    for (const waker of [...this.#wakers]) waker();
  }
}
