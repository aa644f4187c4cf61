// The exchanges of clients/conformance: bytes that the server's own encoders wrote.

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { type IdentifierArray, packIdentifiers, widthOf } from "../src/columns.js";
import { encodeCommand } from "../src/commands.js";
import { type Data, type Encoding, JSON_TEXT, MESSAGE_PACK } from "../src/encoding.js";
import { apiError } from "../src/errors.js";
import { Agents, Client, CrowdState, type CrowdEvent, type World, commands } from "../src/index.js";
import { type StepOptions, commandsBody, stepBody } from "../src/stepping.js";
import { StreamState } from "../src/stream-state.js";

type Json = Record<string, unknown>;
interface Entry {
  name: string;
  direction: string;
  subprotocol?: string;
  media_type?: string;
  call?: string;
  status: number;
  content_type: string;
  refused?: Json;
  message: Json;
  text?: string;
  bytes?: string;
}
interface Told {
  name: string;
  subprotocol: string;
  subscription: { fields: string[]; precision: string };
  messages: { text?: string; bytes?: string; after: (Json & { id: number })[] }[];
}

const FOLDER = resolve(import.meta.dirname, "../../conformance");
const read = async <Content>(name: string) => JSON.parse(await readFile(`${FOLDER}/${name}`, "utf8")) as Content;
const TO_SERVER = (await read<Entry[]>("to-server.json")).filter(({ refused }) => refused === undefined);
const FROM_SERVER = await read<Entry[]>("from-server.json");
const REST = await read<Entry[]>("rest.json");
const STREAMS = await read<Told[]>("streams.json");

const IDENTIFIERS = new Set(["id", "ids", "entered", "left", "based", "removed", "owned", "other"]);

function dataOf({ text, bytes }: { text?: string; bytes?: string }): Data {
  return text ?? Uint8Array.from((bytes ?? "").match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

function encodingOf(entry: { subprotocol?: string; media_type?: string }): Encoding {
  return (entry.subprotocol ?? entry.media_type)?.includes("msgpack") ? MESSAGE_PACK : JSON_TEXT;
}

/** Numbers as rows: pairs of a vector column, null where there is no value. */
function rows(name: string, flat: ArrayLike<number>): unknown[] {
  const width = widthOf(name);
  return Array.from({ length: flat.length / width }, (_, row) => {
    const parts = Array.from({ length: width }, (_, place) => flat[width * row + place] as number);
    if (parts.every(Number.isNaN)) return null;
    return width === 1 ? parts[0] : parts;
  });
}

/** A decoded value with bins of int64 and float64 as arrays, as `message` has them. */
function plainForm(value: unknown, name = ""): unknown {
  if (value instanceof Uint8Array) {
    const buffer = value.slice().buffer;
    if (IDENTIFIERS.has(name)) return Array.from(new BigInt64Array(buffer), Number);
    return rows(name, new Float64Array(buffer));
  }
  if (Array.isArray(value)) return value.map((part) => plainForm(part, name));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([inner, part]) => [inner, plainForm(part, inner)]));
}

/** What was read, with typed arrays as `message` has them. */
function shown(value: unknown, name = ""): unknown {
  if (value instanceof Agents) {
    // inside another answer step and time stand beside them
    const { step, time, ids, columns } = value;
    return { ...(name === "" ? { step, time } : {}), ids: Array.from(ids), ...(shown(columns) as Json) };
  }
  if (ArrayBuffer.isView(value)) return IDENTIFIERS.has(name) ? Array.from(value as Float64Array) : rows(name, value as Float64Array);
  if (Array.isArray(value)) return value.map((part) => shown(part, name));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([inner, part]) => [inner, shown(part, inner)]));
}

function each(entries: Entry[]): [string, Entry][] {
  return entries.map((entry) => [`${entry.name} ${entry.subprotocol ?? entry.media_type}`, entry]);
}

describe("to the server", () => {
  // as a caller has it: ids and columns in arrays
  const ids = (message: Json) => message["ids"] as IdentifierArray | undefined;
  const body = (encoding: Encoding, { type: _type, ...message }: Json): Json => {
    const given = { ...message, ...(message["key"] === undefined ? { key: "made" } : {}) } as StepOptions & { key: string };
    return stepBody(encoding, given);
  };
  // what the client writes for what each type of message means
  const writers: Record<string, (encoding: Encoding, message: Json) => Json> = {
    command: (encoding, message) => commandsBody(encoding, message["commands"] as commands.Command[], message["key"] as string | undefined),
    step: body,
    ready: body,
    own: (encoding, message) => ({ ...message, ids: encoding.identifierColumn(ids(message)) }),
    disown: (encoding, message) => ({ ...message, ids: encoding.identifierColumn(ids(message)) }),
  };

  it.each(each(TO_SERVER))("%s", (_, entry) => {
    const { message } = entry;
    const encoding = encodingOf(entry);
    expect(plainForm(encoding.decode(dataOf(entry)))).toEqual(message);
    const type = message["type"] as string;
    const written = { type, ...(writers[type]?.(encoding, message) ?? message) };
    const sent = plainForm(encoding.decode(encoding.encode(written))) as Json;
    // keys are made where none is given
    if (message["key"] === undefined) delete sent["key"];
    expect(sent).toEqual(message);
  });

  it("sends columns as bins", () => {
    const entry = TO_SERVER.find(({ name }) => name === "command-add-agents-in-columns") as Entry;
    const [command] = entry.message["commands"] as Json[];
    const { columns } = encodeCommand(MESSAGE_PACK, command as Json) as { columns: Json };
    const bins = Object.keys(columns).filter((name) => columns[name] instanceof Uint8Array);
    expect(bins).toEqual(["id", "position", "velocity", "radius", "max_neighbors"]);
    expect(packIdentifiers([2 ** 53 - 1])?.[0]).toBe(9007199254740991n);
  });
});

describe("from the server", () => {
  it.each(each(FROM_SERVER))("%s", async (_, entry) => {
    const { message } = entry;
    const { type, key, ...told } = message;
    const state = new StreamState(encodingOf(entry), { delivery: "every" });
    state.opening();
    const settled = async (asked: string): Promise<unknown> => {
      const { answer } = state.request(asked, { type: "step", key: asked });
      state.receive(dataOf(entry));
      return answer.catch((error: unknown) => error);
    };
    if (type === "ack" || type === "stepped") {
      // one without a key answers nothing that waits
      if (key === undefined) return void state.receive(dataOf(entry));
      const answer = shown(await settled(key as string)) as Json;
      const events = told["events"] as Json[] | undefined;
      return expect(answer).toEqual(events ? { ...told, events: events.map((event) => ({ type: "event", ...event })) } : told);
    }
    if (type === "pong") return expect(await settled(`\0ping ${JSON.stringify(told["data"] ?? null)}`)).toBe(told["data"]);
    if (type === "error" && key !== undefined) {
      return expect(await settled(key as string)).toEqual(apiError(message["problem"]));
    }
    state.receive(dataOf(entry));
    if (type === "hello") return expect(state.hello).toEqual(message);
    if (type === "heartbeat") return expect(state.heartbeat).toBe(told["step"]);
    if (type === "closing") return expect(state.closed(4004, "")?.reason).toBe(told["reason"]);
    if (type === "frame") return expect(() => state.take()).toThrow(); // merged with the full before it, below
    const taken = state.take();
    if (type === "error") return expect(taken).toEqual({ refusal: apiError(message["problem"]) });
    const { item } = taken as { item: CrowdEvent };
    if (type === "event") return expect(item).toEqual({ ids: [], ...message });
    expect(item.type).toBe("full");
    expect(Array.from(item.ids)).toEqual(told["ids"]);
  });
});

describe("streams", () => {
  it.each(STREAMS.map((told) => [`${told.name} ${told.subprotocol}`, told] as const))("%s", (_, told) => {
    const crowd = new CrowdState();
    for (const message of told.messages) {
      const frame = crowd.apply(encodingOf(told).decode(dataOf(message)) as Json);
      const columns = Object.entries(frame.columns).map(
        ([name, column]) => [name, Array.isArray(column) ? column : rows(name, column)] as const,
      );
      const known = Array.from(frame.ids, (id, row) => ({
        id,
        ...Object.fromEntries(columns.map(([name, column]) => [name, column[row]])),
      }));
      // toEqual tells -0 from 0
      expect(known.sort((one, other) => one.id - other.id)).toEqual(message.after);
    }
  });
});

describe("REST", () => {
  // the call of each exchange, as a program makes it
  const calls: Record<string, (client: Client, world: World, sent: Json) => Promise<unknown>> = {
    "create-world": async (client, _, sent) => (await client.createWorld(sent as never)).description,
    "create-world-again": (client, _, sent) => client.createWorld(sent as never),
    "update-world": (_, world, sent) => world.update(sent),
    "describe-world": (_, world) => world.describe(),
    "add-agents-in-columns": (_, world, sent) => world.addAgents(sent["columns"] as never),
    "add-agents-in-rows": (_, world, sent) => world.addAgents(sent["agents"] as never),
    "add-agents-refused": (_, world, sent) => world.addAgents(sent["agents"] as never),
    "set-agents-in-columns": (_, world, sent) => world.setAgents(sent["ids"] as number[], sent["columns"] as never),
    "set-agents-in-rows": (_, world, sent) => world.setAgents(sent["agents"] as never),
    "set-agent": (_, world, sent) => world.setAgent(7, sent),
    agents: (_, world) => world.agents(),
    "agents-chosen": (_, world) =>
      world.agents({ fields: ["position", "goal", "status", "max_neighbors"], ids: [2 ** 53 - 1, 7], precision: "float32" }),
    agent: (_, world) => world.agent(2 ** 53 - 1),
    "agent-not-found": (_, world) => world.agent(12345),
    explain: (_, world) => world.explain(7),
    "add-obstacles": (_, world, sent) => world.addObstacles(sent["obstacles"] as never),
    "set-obstacle": (_, world, sent) => world.setObstacle(4, sent as never),
    "add-walkable": (_, world, sent) => world.addWalkable(sent["areas"] as never),
    "remove-walkable": (_, world) => world.removeWalkable(3),
    steps: (_, world, { count, ...rest }) => world.step(count as number, rest),
    "steps-again": (_, world, { count, ...rest }) => world.step(count as number, rest),
    commands: (_, world, sent) => world.commands(sent["commands"] as never, { key: sent["key"] as string }),
    "agent-gone": (_, world) => world.agent(7),
    digest: (_, world) => world.digest(),
    "remove-agents": (_, world) => world.removeAgents([0, 2 ** 32]),
    steer: async (client, _, sent) => ({ velocity: rows("velocity", await client.steer(sent as never)) }),
    "delete-world": (_, world) => world.delete(),
  };
  const answers = REST.filter(({ name, direction }) => direction === "from-server" && name in calls);

  it.each(each(answers))("%s", async (_, entry) => {
    const encoding = encodingOf(entry);
    const body = REST.find(({ name, direction, media_type }) => name === entry.name && direction === "to-server" && media_type === entry.media_type);
    const requests: [string, unknown][] = [];
    const client = new Client("http://server", {
      encoding: encoding === JSON_TEXT ? "json" : "msgpack",
      fetch: (input, init) => {
        const url = new URL(input as string);
        requests.push([`${init?.method} ${url.pathname}${decodeURIComponent(url.search)}`, init?.body]);
        const headers = { "content-type": entry.content_type };
        return Promise.resolve(new Response(entry.status === 204 ? null : dataOf(entry), { status: entry.status, headers }));
      },
    });
    const call = calls[entry.name] as (typeof calls)[string];
    const answer = await call(client, client.world("hall"), body?.message ?? {}).catch((error: unknown) => error);
    // in whatever order the query is
    const parts = (url: string | undefined) => url?.split(/[?&]/).sort();
    expect(requests.map(([what]) => parts(what))).toEqual([parts(entry.call)]);
    if (body !== undefined) expect(plainForm(encoding.decode(requests[0]?.[1] as Data))).toEqual(body.message);
    if (entry.status >= 400) return expect(answer).toEqual(apiError(entry.message));
    if (entry.status === 204) return expect(answer).toBeUndefined();
    const { warnings, events, ...told } = entry.message;
    if (entry.name === "steer") return expect(answer).toEqual(told);
    const typed = Array.isArray(events) ? { events: events.map((event: Json) => ({ type: "event", ...event })) } : {};
    return expect(shown(answer)).toEqual({ ...told, ...typed, ...(warnings ? { warnings } : {}) });
  });
});
