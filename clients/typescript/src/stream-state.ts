// The client's side of a stream as a state machine: messages in, frames, events and answers out. No I/O.
//
// An adapter sends what `opening` gives after every connection, feeds each message to `receive`, takes items from `take`
// and sends the credit that comes with them, and asks `closed` what the end of a connection means. Requests carry a
// key, so what was not answered when the connection broke is sent again by `opening` and still has one effect.

import type { Data, Encoding } from "./encoding.js";
import {
  type ApiError,
  BufferFull,
  OrcaCrowdError,
  ProtocolError,
  type StreamClosed,
  apiError,
  isMap,
  streamClosed,
} from "./errors.js";
import { type CrowdEvent, asNumber, readAcknowledged, readEvent, readStepped } from "./results.js";
import { CrowdState, type Frame } from "./state.js";
import type { Hello, Subscription } from "./wire.js";

export type StreamItem = Frame | CrowdEvent;
/** What is taken: a frame with the credit to send for it, an event, or a refusal that names no request. */
export type Taken = { readonly item: StreamItem; readonly credit?: Data } | { readonly refusal: ApiError };

// after these close codes the same subscription is worth another try; 4001 comes back with a gap
const CODES_TO_RECONNECT: ReadonlySet<number> = new Set([1001, 1005, 1006, 1011, 1012, 1013, 4001]);
// frames and events that wait to be taken
const WAITING_ITEMS = 10_000;
const WAITING_BYTES = 256 * 2 ** 20;

interface Request {
  readonly message: Readonly<Record<string, unknown>>;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}
interface Waiting {
  readonly connection: number;
  readonly message: Readonly<Record<string, unknown>>;
  readonly gap: boolean;
  readonly bytes: number;
}

export class StreamState {
  hello: Hello | undefined;
  /** Step of the last heartbeat. */
  heartbeat: number | undefined;
  /** The last frame that was taken: everybody that the subscription knows. */
  frame: Frame | undefined;
  /** The name under which this stream is registered as a controller. */
  controller: string | undefined;
  /** Whether this connection has given more than a greeting, so that trying again is worth while. */
  progress = false;
  readonly #encoding: Encoding;
  #subscription: Subscription | undefined;
  #crowd = new CrowdState();
  #waiting: Waiting[] = [];
  #bytes = 0;
  #requests = new Map<string, Request>();
  #connection = 0;
  #lastStep: number | undefined;
  // frames that still come are those of the subscription before, and nothing to go on from
  #fullDue = true;
  #reconnected = false;
  #closing: string | undefined;

  /** Watch with `subscription`; undefined only sends commands and steps, and then events are not kept. */
  constructor(encoding: Encoding, subscription: Subscription | undefined) {
    this.#encoding = encoding;
    this.#subscription = subscription;
  }

  /** Whether there is a subscription, so that frames and events are kept. */
  get watching(): boolean {
    return this.#subscription !== undefined;
  }

  // ---- to the server

  /** What a new connection begins with: the registration, the subscription, then every request without an answer. */
  opening(): Data[] {
    this.#connection += 1;
    this.progress = false;
    this.#reconnected = this.#lastStep !== undefined;
    this.#closing = undefined;
    const messages: Readonly<Record<string, unknown>>[] = [];
    if (this.controller !== undefined) messages.push({ type: "register", controller: this.controller });
    if (this.#subscription !== undefined) messages.push(this.#wanted());
    messages.push(...Array.from(this.#requests.values(), (request) => request.message));
    return messages.map((message) => this.#encoding.encode(message));
  }

  /** Change the subscription; the first frame of the new one is full. */
  subscribe(subscription: Subscription): Data {
    this.#subscription = subscription;
    this.#lastStep = undefined;
    this.#fullDue = true;
    return this.#encoding.encode(this.#wanted());
  }

  /** See no more frames. */
  unsubscribe(): Data {
    this.#subscription = undefined;
    this.#lastStep = undefined;
    return this.#encoding.encode({ type: "unsubscribe" });
  }

  /** Go on after a step that was seen, with another subscription where one is given. */
  resume(afterStep: number, subscription: Subscription | undefined): Data {
    this.#subscription = subscription ?? this.#subscription ?? {};
    this.#lastStep = afterStep;
    this.#fullDue = false;
    return this.#encoding.encode({ type: "resume", after_step: afterStep, ...subscription });
  }

  /** Send a request that is answered; the promise is settled by the answer with its key. Throws `CannotEncode`. */
  request(key: string, message: Readonly<Record<string, unknown>>): { data: Data; answer: Promise<unknown> } {
    if (this.#requests.has(key)) throw new OrcaCrowdError(`key ${key} is waiting for its answer already`);
    const data = this.#encoding.encode(message);
    const answer = new Promise((resolve, reject) => this.#requests.set(key, { message, resolve, reject }));
    return { data, answer };
  }

  /** Wait for this answer no longer, nor send its request again. */
  forget(key: string): void {
    this.#requests.delete(key);
  }

  /** The stream is over: whoever waits for an answer is told. */
  end(error: Error): void {
    for (const request of this.#requests.values()) request.reject(error);
    this.#requests.clear();
  }

  /** What a subscription is asked for with: from the last step on where there is one, else anew. */
  #wanted(): Readonly<Record<string, unknown>> {
    // `window` is always named, since that is what promises a `got`
    const members = { window: 3, ...this.#subscription };
    if (this.#lastStep === undefined) return { type: "subscribe", ...members };
    return { type: "resume", after_step: this.#lastStep, ...members };
  }

  // ---- from the server

  /** Take one message; throws `ProtocolError` for what is none, `BufferFull` when nobody takes. */
  receive(data: Data): Readonly<Record<string, unknown>> {
    const message = this.#encoding.decode(data);
    if (!isMap(message) || typeof message["type"] !== "string") {
      throw new ProtocolError("a message without a type came");
    }
    this.progress ||= message["type"] !== "hello";
    this.#dispatch(message["type"], message, data.length);
    return message;
  }

  /** Act on one message; a type that is not known is passed over, so that a newer server can say more. */
  #dispatch(kind: string, message: Record<string, unknown>, bytes: number): void {
    if (kind === "full" || kind === "frame") {
      const step = asNumber(message, "step");
      this.#keep(message, this.#isGap(step, message["since"]), bytes);
      this.#fullDue &&= kind === "frame";
      if (!this.#fullDue) this.#lastStep = step;
      this.#reconnected = false;
    } else if (kind === "event") this.#keep(message, false, bytes);
    else if (kind === "ack") this.#answered(message["key"], () => readAcknowledged(message));
    else if (kind === "stepped") this.#answered(message["key"], () => readStepped(message));
    else if (kind === "pong") this.#answered(pingKey(message["data"]), () => message["data"]);
    else if (kind === "error") this.#refused(message, bytes);
    else if (kind === "hello") this.hello = message as Hello;
    else if (kind === "heartbeat") this.heartbeat = asNumber(message, "step");
    else if (kind === "closing") this.#closing = String(message["reason"]);
  }

  /**
   * Whether steps that the subscription covers lie between the frame before and this one.
   *
   * Frames come for the steps divisible by `every`, so the count of such steps in between says it. A full frame tells no
   * `since`; after a reconnect it means that the steps in between are no longer kept.
   */
  #isGap(step: number, since: unknown): boolean {
    if (this.#lastStep === undefined) return false;
    if (typeof since !== "number" && this.#reconnected) return true;
    const every = this.#subscription?.every ?? 1;
    const before = typeof since === "number" ? since : this.#lastStep;
    return before !== this.#lastStep || Math.floor(step / every) - Math.floor(before / every) > 1;
  }

  #keep(message: Readonly<Record<string, unknown>>, gap: boolean, bytes: number): void {
    if (this.#subscription === undefined && message["type"] !== "error") return;
    if (this.#waiting.length >= WAITING_ITEMS || this.#bytes + bytes > WAITING_BYTES) {
      throw new BufferFull(
        `${this.#waiting.length} frames and events wait unread: iterate over the stream or listen to it, ` +
          "or open it with watch: false",
      );
    }
    this.#bytes += bytes;
    this.#waiting.push({ connection: this.#connection, message, gap, bytes });
  }

  #answered(key: unknown, read: () => unknown): void {
    const request = this.#requests.get(String(key));
    if (request === undefined) return;
    this.#requests.delete(String(key));
    try {
      request.resolve(read());
    } catch (error) {
      request.reject(error as Error);
    }
  }

  /** A refusal goes to whoever asked; without a key whoever takes next is told. */
  #refused(message: Readonly<Record<string, unknown>>, bytes: number): void {
    const request = this.#requests.get(String(message["key"]));
    const error = apiError(message["problem"]);
    // another socket has taken the name over: to register again would take it back, and so for ever
    if (error.code === "replaced") this.controller = undefined;
    if (message["key"] === undefined || message["key"] === null) this.#keep(message, false, bytes);
    else if (request !== undefined) {
      this.#requests.delete(String(message["key"]));
      request.reject(error);
    }
  }

  // ---- to the caller

  /**
   * The next frame, event or refusal; undefined when nothing waits.
   *
   * Frames are merged when they are taken, so that `frame` is the last that the caller has seen. Credit is given then
   * and not when a frame came, so that a caller who stalls is not sent more than the window. A frame of an earlier
   * connection gives none: the new one never sent it.
   */
  take(): Taken | undefined {
    const next = this.#waiting.shift();
    if (next === undefined) return undefined;
    this.#bytes -= next.bytes;
    const { message } = next;
    if (message["type"] === "event") return { item: readEvent(message) };
    if (message["type"] === "error") return { refusal: apiError(message["problem"]) };
    this.frame = this.#crowd.apply(message, next.gap);
    if (next.connection !== this.#connection || this.#subscription?.delivery === "every") return { item: this.frame };
    return { item: this.frame, credit: this.#encoding.encode({ type: "got", step: this.frame.step }) };
  }

  /** What the end of a connection means: undefined to connect again, else the error that ends the stream. */
  closed(code: number, reason: string): StreamClosed | undefined {
    return CODES_TO_RECONNECT.has(code) ? undefined : streamClosed(code, this.#closing ?? reason);
  }
}

/** Key under which a ping waits for its pong: the server gives back the data and no key. */
export function pingKey(data: unknown): string {
  return `\0ping ${JSON.stringify(data ?? null)}`;
}
