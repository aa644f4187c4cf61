// One WebSocket connection of a stream, from its opening to its end.

import type { Data, Encoding } from "./encoding.js";
import { ApiError, ConnectionFailed, type OrcaCrowdError } from "./errors.js";
import { type Socket, type WebSocketConstructor, findWebSocket } from "./socket.js";

/** Where a stream connects to, and how. */
export interface ConnectionOptions {
  readonly url: string;
  readonly encoding: Encoding;
  readonly headers: Readonly<Record<string, string>>;
  readonly key: string | undefined;
  readonly webSocket: WebSocketConstructor | undefined;
  /** Asks over REST for the world, to learn why a handshake failed: a browser does not tell. */
  readonly ask: () => Promise<void>;
  /** Seconds without any message after which the connection counts as lost. */
  readonly silence: number;
}

/** How a connection ended; without `opened` the handshake failed. */
export interface Ending {
  readonly opened: boolean;
  readonly code: number;
  readonly reason: string;
}

// seconds; a server that is there answers at once
const CONNECT_TIMEOUT = 5;
// 50,000 agents with every field take 8 MB in MessagePack and 20 MB in JSON
const LARGEST_MESSAGE = 64 * 2 ** 20;
// a proxy in front of a server that restarts
const TRANSIENT: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export class Connection {
  readonly ended: Promise<Ending>;
  #socket: Socket;
  #opened = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #finish: (ending: Ending) => void = () => {};

  private constructor(socket: Socket, options: ConnectionOptions, opening: () => void, receive: (data: Data) => void) {
    this.#socket = socket;
    this.ended = new Promise((resolve) => {
      this.#finish = resolve;
    });
    socket.binaryType = "arraybuffer";
    socket.addEventListener("open", () => {
      this.#opened = true;
      this.#watch(options.silence);
      opening();
    });
    socket.addEventListener("message", ({ data }) => {
      this.#watch(options.silence);
      receive(typeof data === "string" ? data : new Uint8Array(data as ArrayBuffer));
    });
    // told by `close`, which always follows
    socket.addEventListener("error", () => {});
    socket.addEventListener("close", ({ code, reason }) => this.#end(code, reason));
    this.#watch(CONNECT_TIMEOUT);
  }

  /** Connect; `opening` is called once the connection stands, `receive` with every message. */
  static async open(options: ConnectionOptions, opening: () => void, receive: (data: Data) => void): Promise<Connection> {
    const WebSocket = await findWebSocket(options.webSocket);
    // frames are numbers and hardly shrink, so that compression costs more than it saves
    const extra = { headers: options.headers, maxPayload: LARGEST_MESSAGE, perMessageDeflate: false };
    // a browser cannot set headers, so the key travels beside the real subprotocol, never in the address
    const key = options.key === undefined ? [] : [`orca-crowd.key.${options.key}`];
    const socket = new WebSocket(options.url, [options.encoding.subprotocol, ...key], extra) as Socket;
    return new Connection(socket, options, opening, receive);
  }

  /** Send; on a connection that just broke nothing happens, and the next opening sends it again. */
  send(data: Data): void {
    if (!this.#opened) return;
    try {
      this.#socket.send(data);
    } catch {
      // its end is told by `ended`
    }
  }

  /** Close as done. */
  close(): void {
    this.#socket.close(1000);
  }

  #watch(seconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      // the other side may be gone for good, so its answer to the close is not waited for
      this.#end(1006, `nothing came for ${seconds} s`);
      this.#socket.close();
    }, seconds * 1000);
  }

  #end(code: number, reason: string): void {
    clearTimeout(this.#timer);
    this.#finish({ opened: this.#opened, code, reason });
  }
}

/** Why a handshake failed, and whether another try may help. */
export async function handshakeFailure(options: ConnectionOptions): Promise<[OrcaCrowdError, boolean]> {
  try {
    await options.ask();
  } catch (error) {
    if (error instanceof ApiError) return [error, TRANSIENT.has(error.status) && error.code !== "world-failed"];
  }
  return [new ConnectionFailed(`the stream ${options.url} cannot be opened`), true];
}
