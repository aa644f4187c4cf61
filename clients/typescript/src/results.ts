// What calls and streams give back. Members have the names that they have on the wire.

import { type Column, type Identifiers, type Numbers, readColumn, readIdentifiers, widthOf } from "./columns.js";
import { ProtocolError, isMap } from "./errors.js";
import type { Notice } from "./wire.js";

/** Ids given to what was added, in the order sent; the number of steps taken so far; warnings. */
export interface Added {
  readonly ids: Identifiers;
  readonly step: number;
  /** Place in the one order of all changes of the world. */
  readonly sequence: number;
  readonly warnings: readonly Notice[];
}

/** A change was taken at `step`, the number of steps taken so far; the next step sees it. */
export interface Changed {
  readonly step: number;
  readonly sequence: number;
  readonly warnings: readonly Notice[];
}

/** The ids of the agents that were removed, at `step`. */
export interface Removed {
  readonly removed: Identifiers;
  readonly step: number;
  readonly sequence: number;
}

/** Something that happened in `step`: `arrived`, `stalled`, `overlap`, `removed`, …; more members by kind. */
export interface CrowdEvent {
  readonly type: "event";
  readonly kind: string;
  readonly step: number;
  /** The agents it is about. */
  readonly ids: readonly number[];
  readonly [member: string]: unknown;
}

/** Commands took effect at `step`; `results` holds one answer for each, in order, as its REST call answers. */
export interface Acknowledged {
  readonly step: number;
  /** A registration has none. */
  readonly sequence?: number;
  readonly results: readonly Readonly<Record<string, unknown>>[];
}

/** After the steps: their number so far, the time, and what `return` asked for; events of these steps. */
export interface Stepped {
  readonly step: number;
  readonly time: number;
  /** Place of the commands in the one order of all changes. */
  readonly sequence?: number;
  readonly digest?: string;
  readonly agents?: Agents;
  readonly events: readonly CrowdEvent[];
  readonly events_left_out?: boolean;
  readonly results?: Acknowledged["results"];
}

/**
 * Agents in columns: row i of every column belongs to `ids[i]`.
 *
 * Vector columns are flat: the position of row i is `position[2 * i]`, `position[2 * i + 1]`.
 */
export class Agents {
  #rows: Map<number, number> | undefined;

  constructor(
    readonly step: number,
    readonly time: number,
    readonly ids: Identifiers,
    readonly columns: Readonly<Record<string, Column>>,
  ) {}

  /** How many agents. */
  get length(): number {
    return this.ids.length;
  }

  /** Row of the agent with that id, -1 where it is not here. */
  rowOf(id: number): number {
    this.#rows ??= new Map(Array.from(this.ids, (known, row) => [known, row]));
    return this.#rows.get(id) ?? -1;
  }

  /** A number column; throws RangeError where it was not asked for. */
  numbers(name: string): Numbers {
    const column = this.columns[name];
    if (column !== undefined && !Array.isArray(column)) return column;
    const there = Object.keys(this.columns).join(", ") || "none";
    throw new RangeError(`no number column ${name} but ${there}: ask for it with fields`);
  }

  get position(): Numbers {
    return this.numbers("position");
  }
  get velocity(): Numbers {
    return this.numbers("velocity");
  }
  get preferred_velocity(): Numbers {
    return this.numbers("preferred_velocity");
  }
  get goal(): Numbers {
    return this.numbers("goal");
  }
  get radius(): Numbers {
    return this.numbers("radius");
  }
  get max_speed(): Numbers {
    return this.numbers("max_speed");
  }
  get status(): readonly string[] {
    const column = this.columns["status"];
    if (Array.isArray(column)) return column as string[];
    // of nobody an array holds no strings that would tell it apart
    if (column?.length === 0) return [];
    throw new RangeError("no column status: ask for it with fields");
  }

  /** The numbers of one agent in a column: [x, y] of a vector column, [value] of another. */
  of(id: number, name = "position"): number[] {
    const row = this.rowOf(id);
    if (row < 0) throw new RangeError(`no agent ${id} here`);
    const width = widthOf(name);
    return Array.from(this.numbers(name).subarray(row * width, (row + 1) * width));
  }
}

const EVENT_IDS: ReadonlySet<string> = new Set(["ids", "other"]);
// what stands beside the columns in an answer or a message
const NOT_COLUMNS: ReadonlySet<string> = new Set(["ids", "entered", "left", "based", "events", "results", "warnings"]);

/** Names of the columns in an answer or a message: whatever is a bin or an array and not one of the fixed names. */
export function columnNames(body: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(body).filter((name) => {
    const value = body[name];
    return !NOT_COLUMNS.has(name) && (Array.isArray(value) || value instanceof Uint8Array);
  });
}

/** The answer as a map; throws `ProtocolError`. */
export function asMap(body: unknown): Record<string, unknown> {
  if (!isMap(body)) throw new ProtocolError(`a map was expected, not ${JSON.stringify(body)?.slice(0, 80)}`);
  return body;
}

/** A whole number or a time that the wire always has; throws `ProtocolError`. */
export function asNumber(body: Readonly<Record<string, unknown>>, name: string): number {
  const value = body[name];
  if (typeof value !== "number") throw new ProtocolError(`${name} is missing or no number`);
  return value;
}

/** `{ids, step, sequence, warnings}`. */
export function readAdded(body: unknown): Added {
  return { ...readChanged(body), ids: readIdentifiers(asMap(body)["ids"]) };
}

/** `{step, sequence, warnings}`. */
export function readChanged(body: unknown): Changed {
  const map = asMap(body);
  return { ...map, step: asNumber(map, "step"), sequence: asNumber(map, "sequence"), warnings: readNotices(map) };
}

/** `{removed, step, sequence}`. */
export function readRemoved(body: unknown): Removed {
  const map = asMap(body);
  const removed = readIdentifiers(map["removed"]);
  return { ...map, removed, step: asNumber(map, "step"), sequence: asNumber(map, "sequence") };
}

/** `{step, time, ids, …columns}`. */
export function readAgents(body: unknown): Agents {
  const map = asMap(body);
  const ids = readIdentifiers(map["ids"]);
  const columns = columnNames(map).map((name) => [name, readColumn(name, map[name], ids.length)] as const);
  return new Agents(asNumber(map, "step"), asNumber(map, "time"), ids, Object.fromEntries(columns));
}

/** `{kind, step, …}`; ids and numbers come as arrays or as bins. */
export function readEvent(body: unknown): CrowdEvent {
  const map = { ...asMap(body) };
  const ids = map["ids"] === undefined ? [] : Array.from(readIdentifiers(map["ids"]));
  for (const [name, value] of Object.entries(map)) {
    if (!(value instanceof Uint8Array)) continue;
    // one row for each of the agents that the event names
    const column = EVENT_IDS.has(name) ? readIdentifiers(value) : readColumn(name, value, ids.length);
    map[name] = Array.from<number | string | boolean>(column);
  }
  return { ...map, type: "event", kind: String(map["kind"]), step: asNumber(map, "step"), ids };
}

/** `{step, results}`; ids in a result are read wherever they came as a bin. */
export function readAcknowledged(body: unknown): Acknowledged {
  const { type: _type, key: _key, ...map } = asMap(body);
  return { ...map, step: asNumber(map, "step"), results: readResults(map["results"]) };
}

/** `{step, time, digest?, agents?, events}`. */
export function readStepped(body: unknown): Stepped {
  const { type: _type, key: _key, agents, results, ...map } = asMap(body);
  const step = asNumber(map, "step");
  const time = asNumber(map, "time");
  const events = Array.isArray(map["events"]) ? map["events"].map(readEvent) : [];
  return {
    ...map,
    step,
    time,
    events,
    // step and time stand in the answer itself
    ...(agents === undefined || agents === null ? {} : { agents: readAgents({ step, time, ...asMap(agents) }) }),
    ...(results === undefined || results === null ? {} : { results: readResults(results) }),
  };
}

function readNotices(body: Readonly<Record<string, unknown>>): Notice[] {
  return Array.isArray(body["warnings"]) ? (body["warnings"] as Notice[]) : [];
}

function readResults(results: unknown): Acknowledged["results"] {
  if (!Array.isArray(results)) throw new ProtocolError("results are missing or no list");
  return results.map((result: unknown) => {
    const made = { ...asMap(result) };
    for (const name of ["ids", "removed", "owned"]) if (name in made) made[name] = readIdentifiers(made[name]);
    return made;
  });
}
