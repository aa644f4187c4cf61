// The client of a server.

import { CLIENT, CLIENT_HEADER, type Call, type Transport, send, worldPath } from "./call.js";
import { type Numbers, columnLength, isTyped, layOut, readColumn, spread } from "./columns.js";
import { type AgentColumns, type AreaLike, type ObstacleLike, areaBody, obstacleBody } from "./commands.js";
import { type EncodingName, encodingNamed } from "./encoding.js";
import { asMap } from "./results.js";
import { type Backoff, REQUESTING } from "./retry.js";
import type { WebSocketConstructor } from "./socket.js";
import type { NewAgent, NewWorld, ServerInfo, WorldDescription, WorldOptions } from "./wire.js";
import { World } from "./world.js";

export interface ClientOptions {
  /** `msgpack` (the default) or `json`, for reading along. */
  readonly encoding?: EncodingName;
  /** Seconds that one answer may take, a long run of steps included; 60. */
  readonly timeout?: number;
  /** The API key of a server that wants one. */
  readonly key?: string;
  /** Sent with every request, and with every stream where the WebSocket can set headers (a browser's cannot). */
  readonly headers?: Readonly<Record<string, string>>;
  /** How often a request that only reads, or carries a key, is repeated when the connection breaks. */
  readonly retry?: Backoff;
  /** The `fetch` to use; the global one. */
  readonly fetch?: typeof fetch;
  /** The WebSocket to use; the global one, else that of the package `ws` where it is installed. */
  readonly webSocket?: WebSocketConstructor;
}

/** What `steer` takes: one step for a world that the caller keeps. */
export interface SteerOptions {
  readonly time_step: number;
  readonly agents: readonly NewAgent[] | AgentColumns;
  readonly obstacles?: readonly ObstacleLike[];
  readonly walkable?: readonly AreaLike[];
  readonly options?: WorldOptions;
  readonly seed?: number;
}

/** A server. There is nothing to close: requests end by themselves, and a stream is closed by itself. */
export class Client {
  readonly url: string;
  /** For worlds: what every call has in common. */
  readonly transport: Transport;
  readonly webSocket: WebSocketConstructor | undefined;
  /** For streams: browsers send the key as a subprotocol. */
  readonly key: string | undefined;

  /** Prepare; nothing is sent. In a browser `new Client(location.origin)` is the server of the page. */
  constructor(url = "http://127.0.0.1:8000", options: ClientOptions = {}) {
    this.url = url.replace(/\/+$/, "");
    this.webSocket = options.webSocket;
    this.key = options.key;
    this.transport = {
      url: this.url,
      encoding: encodingNamed(options.encoding ?? "msgpack"),
      headers: {
        [CLIENT_HEADER]: CLIENT,
        ...options.headers,
        ...(options.key === undefined ? {} : { Authorization: `Bearer ${options.key}` }),
      },
      timeout: options.timeout ?? 60,
      retry: options.retry ?? REQUESTING,
      // a browser's fetch wants its window
      fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    };
  }

  /** Ask for version, kernels digest, limits, and options with both profiles' values. */
  info(): Promise<ServerInfo> {
    return this.call({ method: "GET", path: "/v1/info", read: (body) => asMap(body) as ServerInfo, repeatable: true });
  }

  /**
   * Create a world; what is left out takes the server's default, and `description` tells all values.
   *
   * Not repeated when the connection breaks. With an `id` a second call is told by a `Conflict` that the first one had
   * its effect.
   */
  async createWorld(world: NewWorld): Promise<World> {
    return this.#described(await this.call({ method: "POST", path: "/v1/worlds", body: world, read: readWorld }));
  }

  /** The worlds of the server, each with its description, the oldest first. */
  async worlds(): Promise<World[]> {
    const read = (body: unknown) => asMap(body)["worlds"] as WorldDescription[];
    const found = await this.call({ method: "GET", path: "/v1/worlds", read, repeatable: true });
    return found.map((description) => this.#described(description));
  }

  /** A handle on a world that exists; nothing is sent. */
  world(id: string): World {
    return new World(this, id);
  }

  /** Make a world from a snapshot, with the same bits; throws `Conflict` where the id is taken. */
  async restore(snapshot: Uint8Array, options: { readonly id?: string } = {}): Promise<World> {
    const path = worldPath("restore");
    const call = { method: "POST", path, content: snapshot, query: { id: options.id }, read: readWorld } as const;
    return this.#described(await this.call(call));
  }

  /** Take one step for a world that the caller keeps: the new velocities, flat, in the order of `agents`. */
  steer(options: SteerOptions): Promise<Numbers> {
    const { agents, obstacles, walkable, ...rest } = options;
    const rows = Array.isArray(agents) ? (agents as readonly NewAgent[]) : rowsOfColumns(agents as AgentColumns);
    const body = {
      ...rest,
      agents: rows,
      obstacles: obstacles?.map(obstacleBody),
      walkable: walkable?.map(areaBody),
    };
    const read = (answer: unknown) => readColumn("velocity", asMap(answer)["velocity"], rows.length) as Numbers;
    return this.call({ method: "POST", path: "/v1/steer", body, read, repeatable: true });
  }

  /** Send a call and read its answer; for worlds. */
  call<Result>(call: Call<Result>): Promise<Result> {
    return send(this.transport, call);
  }

  #described(description: WorldDescription): World {
    return new World(this, description.id, description);
  }
}

/** A world as the server tells of it. */
export function readWorld(body: unknown): WorldDescription {
  return asMap(body) as WorldDescription;
}

/** Columns as rows; single values go into every row. */
function rowsOfColumns(columns: AgentColumns): Record<string, unknown>[] {
  const count = columnLength(columns);
  const laidOut = Object.entries(columns).map(([name, value]) => {
    const column = spread(name, value, count);
    return [name, isTyped(column) ? layOut(name, column) : (column as unknown[])] as const;
  });
  return Array.from({ length: count }, (_, row) => Object.fromEntries(laidOut.map(([name, column]) => [name, column[row]])));
}
