// A handle on one world.

import { BYTES, CONTROLLER_HEADER, type Call, LEASE_HEADER, send, worldPath } from "./call.js";
import { type Client, readWorld } from "./client.js";
import type { IdentifierArray } from "./columns.js";
import {
  type AgentColumns,
  type AreaLike,
  type Command,
  type ObstacleLike,
  agentsBody,
  areaBody,
  encodeCommand,
  obstacleBody,
  removeAgents,
} from "./commands.js";
import { encodeColumns } from "./encoding.js";
import { CannotEncode, ProtocolError } from "./errors.js";
import {
  type Acknowledged,
  type Added,
  type Agents,
  type Changed,
  type Removed,
  type Stepped,
  asMap,
  readAcknowledged,
  readAdded,
  readAgents,
  readChanged,
  readRemoved,
  readStepped,
} from "./results.js";
import { type StepOptions, commandsBody, stepBody } from "./stepping.js";
import { Stream, type StreamOptions } from "./stream.js";
import type {
  AgentChange,
  AgentDescription,
  Digest,
  Explanation,
  FieldName,
  Lease,
  NewAgent,
  Obstacle,
  PathQuery,
  PathsFound,
  WalkableArea,
  WorldChange,
  WorldDescription,
} from "./wire.js";

// ids in a URL end somewhere: servers and proxies take 8 KB of one, and not much more
const LONGEST_QUERY = 6000;

export interface AgentsOptions {
  /** Columns beside the ids; position and velocity. */
  readonly fields?: readonly FieldName[];
  /** Only these, in this order. */
  readonly ids?: IdentifierArray;
  readonly offset?: number;
  readonly limit?: number;
  readonly precision?: "float64" | "float32";
}

/** One world of a server. Every method throws the errors of `errors.ts`; a refused request has changed nothing. */
export class World {
  readonly id: string;
  /** What the server last told of the world through this handle; undefined for one made from an id alone. */
  description: WorldDescription | undefined;
  /** The name by which requests of this handle give orders to agents that a controller owns. */
  controller: string | undefined;
  readonly #client: Client;
  #holder: string | undefined;

  constructor(client: Client, id: string, description?: WorldDescription) {
    this.#client = client;
    this.id = id;
    this.description = description;
  }

  // ---- the world as a whole

  /** Ask for name, clock, options, defaults, step, time and whatever else the server tells of the world. */
  async describe(): Promise<WorldDescription> {
    this.description = await this.#call({ method: "GET", path: "", read: readWorld, repeatable: true });
    return this.description;
  }

  /** Change clock, name or the defaults of fields that are left out when agents are added. */
  async update(change: WorldChange): Promise<WorldDescription> {
    this.description = await this.#call({ method: "PATCH", path: "", body: change, read: readWorld });
    return this.description;
  }

  /** Delete the world; its streams end with `WorldGone`. */
  delete(): Promise<void> {
    return this.#call({ method: "DELETE", path: "", read: nothing });
  }

  /** Ask for the hash over the bits of every agent's position and velocity. */
  digest(): Promise<Digest> {
    return this.#call({ method: "GET", path: "digest", read: (body) => asMap(body) as Digest, repeatable: true });
  }

  /** Take the whole world as bytes, for `restore` of a client. */
  snapshot(): Promise<Uint8Array> {
    return this.#call({ method: "GET", path: "snapshot", read: readBytes, accept: BYTES, repeatable: true });
  }

  // ---- agents

  /**
   * Add agents, in columns or as a list of rows.
   *
   * A column has one row an agent; a single value stands for all: `addAgents({ position: [[0, 0], [9, 0]], radius: 0.4
   * })`. `id` chooses the ids. Not repeated when the connection breaks, unlike `commands`.
   */
  addAgents(agents: readonly NewAgent[] | AgentColumns): Promise<Added> {
    const body = encodeCommand(this.#client.transport.encoding, agentsBody(agents));
    return this.#call({ method: "POST", path: "agents", body, read: readAdded });
  }

  /** Read agents in columns: all or `ids`, in one moment. */
  async agents(options: AgentsOptions = {}): Promise<Agents> {
    const { fields, ids, ...rest } = options;
    const chosen = ids === undefined ? undefined : joined(ids);
    if (chosen !== undefined && chosen.length > LONGEST_QUERY) {
      throw new CannotEncode(
        `${ids?.length} ids are too many for the URL of one request: leave ids out and choose from the answer, ` +
          "or take the agents with a step: step(1, { return: 'agents', ids })",
      );
    }
    const query = { ...rest, fields: fields?.join(), ids: chosen };
    return this.#call({ method: "GET", path: "agents", query, read: readAgents, repeatable: true });
  }

  /** Change fields of the agents `ids`; a single value goes to all of them, null clears. Rows do as well. */
  setAgents(ids: IdentifierArray, columns: AgentColumns): Promise<Changed>;
  setAgents(rows: readonly AgentChange[]): Promise<Changed>;
  setAgents(ids: IdentifierArray | readonly AgentChange[], columns?: AgentColumns): Promise<Changed> {
    const { encoding } = this.#client.transport;
    const body =
      columns === undefined
        ? { agents: ids }
        : { ids: encoding.identifierColumn(ids), columns: encodeColumns(encoding, columns, ids.length) };
    return this.#call({ method: "PATCH", path: "agents", body, read: readChanged });
  }

  /** Remove agents, all of them or none; their ids are never given again. */
  async removeAgents(ids: IdentifierArray): Promise<Removed> {
    const query = { ids: joined(ids) };
    if (query.ids.length <= LONGEST_QUERY) {
      return this.#call({ method: "DELETE", path: "agents", query, read: readRemoved });
    }
    // split over several requests the removal would no longer be all or nothing
    const { step, sequence, results } = await this.commands([removeAgents(ids)]);
    return { removed: results[0]?.["removed"] as Removed["removed"], step, sequence: sequence as number };
  }

  /** Read one agent with its effective values and `status`. */
  agent(id: number): Promise<AgentDescription> {
    const read = (body: unknown) => asMap(body) as AgentDescription;
    return this.#call({ method: "GET", path: ["agents", id], read, repeatable: true });
  }

  /** Change fields of one agent, null clears; gives the agent as it is then, with `warnings`. */
  setAgent(id: number, fields: AgentChange): Promise<AgentDescription> {
    const read = (body: unknown) => asMap(body) as AgentDescription;
    return this.#call({ method: "PATCH", path: ["agents", id], body: fields, read });
  }

  /** Remove one agent. */
  removeAgent(id: number): Promise<void> {
    return this.#call({ method: "DELETE", path: ["agents", id], read: nothing });
  }

  /** Ask why an agent moves as it does: neighbours, constraints (kind, source, point, normal), program, status. */
  explain(id: number): Promise<Explanation> {
    const read = (body: unknown) => asMap(body) as Explanation;
    return this.#call({ method: "GET", path: ["agents", id, "explain"], read, repeatable: true });
  }

  // ---- geometry

  /** Add obstacles, or bare lists of points. */
  addObstacles(obstacles: readonly ObstacleLike[]): Promise<Added> {
    const body = { obstacles: obstacles.map(obstacleBody) };
    return this.#call({ method: "POST", path: "obstacles", body, read: readAdded });
  }

  /** Read all obstacles. */
  obstacles(): Promise<Obstacle[]> {
    const read = (body: unknown) => asMap(body)["obstacles"] as Obstacle[];
    return this.#call({ method: "GET", path: "obstacles", read, repeatable: true, accept: JSON_TYPE });
  }

  /** Read one obstacle. */
  obstacle(id: number): Promise<Obstacle> {
    const read = (body: unknown) => asMap(body) as Obstacle;
    return this.#call({ method: "GET", path: ["obstacles", id], read, repeatable: true, accept: JSON_TYPE });
  }

  /** Replace an obstacle. */
  setObstacle(id: number, obstacle: ObstacleLike): Promise<Changed> {
    const { id: _id, ...body } = obstacleBody(obstacle);
    return this.#call({ method: "PUT", path: ["obstacles", id], body, read: readChanged });
  }

  /** Let an obstacle stand open as a door, or close it. */
  setDoor(id: number, options: { readonly open: boolean }): Promise<Changed> {
    return this.#call({ method: "PATCH", path: ["obstacles", id], body: { open: options.open }, read: readChanged });
  }

  /** Remove an obstacle. */
  removeObstacle(id: number): Promise<void> {
    return this.#call({ method: "DELETE", path: ["obstacles", id], read: nothing });
  }

  /**
   * Find shortest ways over the geometry as it is, for somebody who steers himself; nothing is changed. The radius left
   * out is that of the world's defaults.
   */
  paths(queries: readonly PathQuery[]): Promise<PathsFound> {
    const read = (body: unknown) => asMap(body) as PathsFound;
    return this.#call({ method: "POST", path: "paths", body: { queries }, read, repeatable: true, accept: JSON_TYPE });
  }

  /** Add walkable areas, or bare GeoJSON geometries. */
  addWalkable(areas: readonly AreaLike[]): Promise<Added> {
    const body = { areas: areas.map(areaBody) };
    return this.#call({ method: "POST", path: "walkable", body, read: readAdded });
  }

  /** Read all walkable areas. */
  walkable(): Promise<WalkableArea[]> {
    const read = (body: unknown) => asMap(body)["areas"] as WalkableArea[];
    return this.#call({ method: "GET", path: "walkable", read, repeatable: true, accept: JSON_TYPE });
  }

  /** Read one walkable area. */
  walkableArea(id: number): Promise<WalkableArea> {
    const read = (body: unknown) => asMap(body) as WalkableArea;
    return this.#call({ method: "GET", path: ["walkable", id], read, repeatable: true, accept: JSON_TYPE });
  }

  /** Replace a walkable area. */
  setWalkable(id: number, area: AreaLike): Promise<Changed> {
    const { id: _id, ...body } = areaBody(area);
    return this.#call({ method: "PUT", path: ["walkable", id], body, read: readChanged });
  }

  /** Remove a walkable area. */
  removeWalkable(id: number): Promise<void> {
    return this.#call({ method: "DELETE", path: ["walkable", id], read: nothing });
  }

  /** Add a MovingAI map (text) or GeoJSON (text or an object), as obstacles or as walkable areas. */
  addMap(
    source: string | object,
    options: { readonly as: "obstacles" | "walkable"; readonly cell_size?: number },
  ): Promise<Added> {
    const content = typeof source === "string" ? source : JSON.stringify(source);
    // GeoJSON is an object, and no MovingAI map begins with a brace
    const mediaType = content.trimStart().startsWith("{") ? "application/geo+json" : "text/plain";
    return this.#call({ method: "POST", path: "map", content, mediaType, query: { ...options }, read: readAdded });
  }

  // ---- commands and steps

  /**
   * Run commands (see `commands`), all or nothing, in one step.
   *
   * A key is made where none is given, so that a request repeated over a broken connection has one effect.
   */
  commands(commands: readonly Command[], options: { readonly key?: string } = {}): Promise<Acknowledged> {
    const body = commandsBody(this.#client.transport.encoding, commands, options.key);
    return this.#call({ method: "POST", path: "commands", body, read: readAcknowledged, repeatable: true });
  }

  /**
   * Take steps in a manual world, after `commands`; with `return: "agents"` gives `fields` of `ids` after them.
   *
   * Throws `Conflict` where `expected_step` is not the number of steps taken so far, or another holds the lease.
   */
  step(count = 1, options: StepOptions = {}): Promise<Stepped> {
    const body = stepBody(this.#client.transport.encoding, { count, ...options });
    return this.#call({ method: "POST", path: "steps", body, read: readStepped, repeatable: true });
  }

  /** Take or renew the sole right to step for `ttl` seconds; this handle's steps and streams then show it. */
  async lease(holder: string, ttl: number): Promise<Lease> {
    const read = (body: unknown) => asMap(body) as Lease;
    const lease = await this.#call({ method: "POST", path: "lease", body: { holder, ttl }, read, repeatable: true });
    this.#holder = holder;
    return lease;
  }

  /** Give the lease of this handle back; without one nothing is sent. */
  async releaseLease(): Promise<void> {
    if (this.#holder === undefined) return;
    await this.#call({ method: "DELETE", path: "lease", read: nothing });
    this.#holder = undefined;
  }

  // ---- the stream

  /** A stream of frames and events, which takes commands and steps too; it connects when it is first used. */
  stream(options: StreamOptions = {}): Stream {
    const { transport, webSocket, key } = this.#client;
    const address = transport.url.replace(/^http/, "ws") + worldPath(this.id, "stream");
    return new Stream(
      {
        url: address,
        encoding: transport.encoding,
        headers: { ...transport.headers, ...this.#headers() },
        key,
        webSocket,
        connect: transport.retry,
        // a browser tells nothing of a handshake that failed; asking for the world does
        ask: () => send({ ...transport, retry: { attempts: 0 } }, { method: "GET", path: worldPath(this.id), read: nothing }),
      },
      options,
    );
  }

  #headers(): Record<string, string> {
    const headers: Record<string, string> = {};
    if (this.#holder !== undefined) headers[LEASE_HEADER] = this.#holder;
    if (this.controller !== undefined) headers[CONTROLLER_HEADER] = this.controller;
    return headers;
  }

  /** A call of this world; `path` is below the world's. */
  #call<Result>(call: Omit<Call<Result>, "path"> & { path: string | (string | number)[] }): Promise<Result> {
    const parts = Array.isArray(call.path) ? call.path : call.path ? [call.path] : [];
    return this.#client.call({ ...call, path: worldPath(this.id, ...parts), headers: this.#headers() });
  }
}

// geometry is small and read as lists of points, which MessagePack would send as bins
const JSON_TYPE = "application/json";

function nothing(): void {}

function readBytes(body: unknown): Uint8Array {
  if (!(body instanceof Uint8Array)) throw new ProtocolError("a snapshot is bytes");
  return body;
}

function joined(ids: IdentifierArray): string {
  return Array.from(ids as ArrayLike<number | bigint>, String).join();
}
