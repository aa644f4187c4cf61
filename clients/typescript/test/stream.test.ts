import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import {
  BufferFull,
  Client,
  type CrowdEvent,
  type EncodingName,
  type Frame,
  InvalidRequest,
  NotFound,
  OrcaCrowdError,
  StreamClosed,
  TimedOut,
  WorldGone,
  commands,
} from "../src/index.js";
import { JSON_TEXT } from "../src/encoding.js";
import { StreamState } from "../src/stream-state.js";
import { makeClient, makePair, makeWorld, until } from "./support.js";

describe.each<EncodingName>(["msgpack", "json"])("a stream in %s", (encoding) => {
  const client = makeClient({ encoding });

  it("greets, gives a whole state, then a frame for each step", async () => {
    const world = await makePair(client);
    const stream = world.stream({ fields: ["position", "status"], delivery: "every" });
    expect(await stream.open()).toMatchObject({ world: world.id, step: 0, time_step: 0.1, profile: "service" });
    void world.step(3);
    const frames: Frame[] = [];
    for await (const frame of stream.frames()) {
      frames.push(frame);
      if (frame.step === 3) break;
    }
    stream.close();
    expect(frames.map(({ type, step, since, gap }) => [type, step, since, gap])).toEqual([
      ["full", 0, undefined, false],
      ["frame", 1, 0, false],
      ["frame", 2, 1, false],
      ["frame", 3, 2, false],
    ]);
    const read = await world.agents({ fields: ["position", "status"] });
    expect(frames[3]?.position).toEqual(read.position);
    expect(frames[3]?.status).toEqual(read.status);
    expect(frames[0]?.of(1)).toEqual([5, 0]);
    expect(stream.frame).toBe(frames[3]);
  });

  it("changes what is seen, tells who comes and goes, and stops", async () => {
    const world = await makePair(client);
    const stream = world.stream({ delivery: "every" });
    await stream.receive();
    stream.subscribe({ fields: ["radius"], precision: "float32", delivery: "every" });
    const full = (await stream.receive()) as Frame;
    expect([full.type, Object.keys(full.columns)]).toEqual(["full", ["radius"]]);
    await stream.step(1, { commands: [commands.removeAgents([0]), commands.addAgents({ id: [8], position: [[0, 9]] })] });
    const items = [await stream.receive(), await stream.receive()];
    const frame = items.find((item) => item.type === "frame") as Frame;
    const event = items.find((item) => item.type === "event") as CrowdEvent;
    expect([Array.from(frame.ids), Array.from(frame.entered), Array.from(frame.left)]).toEqual([[1, 8], [8], [0]]);
    expect([event.kind, event.ids]).toEqual(["removed", [0]]);
    stream.unsubscribe();
    await stream.step(2);
    await expect(stream.receive(0.2)).rejects.toThrow(TimedOut);
    stream.close();
  });

  it("takes commands and steps, and answers each with its own", async () => {
    const world = await makeWorld(client);
    const stream = world.stream({ watch: false });
    const wanted = { position: [[0, 0], [9, 9]], preferred_velocity: Float64Array.of(1, 0, 0, -1) } as const;
    const [added, stepped, pong] = await Promise.all([
      stream.command([commands.addAgents(wanted)], { key: "a" }),
      stream.step(2, { return: "agents", fields: ["velocity"], expected_step: 0 }),
      stream.ping("there?"),
    ]);
    expect(Array.from(added.results[0]?.["ids"] as Float64Array)).toEqual([0, 1]);
    expect(Array.from(stepped.agents?.velocity ?? [])).toEqual([1, 0, 0, -1]);
    expect(pong).toBe("there?");
    await expect(stream.step(1, { expected_step: 0 })).rejects.toMatchObject({ code: "wrong-step", more: { step: 2 } });
    await expect(stream.command([commands.setAgents([7], { radius: 1 })])).rejects.toThrow(NotFound);
    // the stream goes on
    expect((await stream.step()).step).toBe(3);
    stream.close();
  });

  it("hands items to listeners, one after the other, while nobody iterates", async () => {
    const world = await makePair(client);
    const stream = world.stream({ fields: ["position"], delivery: "every" });
    const seen: string[] = [];
    let busy = 0;
    stream.on("full", (frame) => void seen.push(`full ${frame.step}`));
    stream.on("frame", async (frame) => {
      expect((busy += 1)).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 5));
      seen.push(`frame ${frame.step}`);
      busy -= 1;
    });
    const off = stream.on("state", (frame) => void seen.push(`state ${frame.step} ${frame.of(0)[0]?.toFixed(2)}`));
    await until(() => seen.length === 2);
    await world.step(1);
    await until(() => seen.length === 4);
    off();
    await world.step(1);
    await until(() => seen.length === 5);
    expect(seen).toEqual(["full 0", "state 0 -5.00", "frame 1", "state 1 -4.85", "frame 2"]);
    stream.close();
  });

  it("gives credit as frames are taken, so that a reader who stalls is sent no more than the window", async () => {
    const world = await makePair(client);
    const stream = world.stream({ fields: ["position"], window: 2 });
    expect(await stream.receive()).toMatchObject({ type: "full", step: 0 });
    for (let step = 0; step < 20; step += 1) await world.step();
    // frames of the steps that were on their way, then the newest
    const steps: number[] = [];
    while (steps.at(-1) !== 20) steps.push((await stream.receive(20)).step);
    expect(steps.length).toBeLessThanOrEqual(4);
    expect((stream.frame as Frame).gap).toBe(true);
    expect(stream.frame?.position).toEqual((await world.agents()).position);
    stream.close();
  });

  it("ends where the world is deleted, for whoever reads and whoever asked", async () => {
    const world = await makePair(client);
    const stream = world.stream({ fields: ["position"] });
    await stream.receive();
    const reason = new Promise((resolve) => stream.on("closed", resolve));
    const reading = expect(stream.receive()).rejects.toThrow(WorldGone);
    await world.delete();
    await reading;
    expect(await reason).toMatchObject({ code: 4004 });
    await expect(stream.ping()).rejects.toThrow(WorldGone);
    await expect(stream.receive()).rejects.toThrow(WorldGone);
  });
});

it("tells why a handshake is refused", async () => {
  await expect(makeClient().world("nowhere").stream().open()).rejects.toThrow(NotFound);
  const nobody = new Client("http://127.0.0.1:9", { retry: { attempts: 1, first: 0 } });
  await expect(nobody.world("x").stream().open()).rejects.toThrow("the stream ws://127.0.0.1:9/v1/worlds/x/stream cannot be opened");
});

it("throws a refused subscription at whoever reads, or gives it to whoever listens", async () => {
  const world = await makePair();
  const stream = world.stream({ fields: ["colour" as "goal"] });
  await expect(stream.receive()).rejects.toThrow(InvalidRequest);
  stream.subscribe();
  expect(await stream.receive()).toMatchObject({ type: "full" });
  const refusals: string[] = [];
  stream.on("error", (error) => void refusals.push(error.code));
  stream.on("state", () => undefined);
  stream.subscribe({ every: 0 });
  await until(() => refusals.length === 1);
  expect(refusals).toEqual(["invalid"]);
  stream.close();
});

it("ends iterators where this side closes, and fails requests without an answer", async () => {
  const world = await makePair();
  const stream = world.stream();
  const seen: string[] = [];
  for await (const item of stream) {
    seen.push(item.type);
    const answer = expect(stream.ping()).rejects.toThrow(StreamClosed);
    stream.close();
    await answer;
  }
  expect(seen).toEqual(["full"]);
  await expect(stream.receive()).rejects.toMatchObject({ code: 1000 });
});

it("does not keep more than is good for the program", () => {
  const state = new StreamState(JSON_TEXT, {});
  const event = JSON.stringify({ type: "event", kind: "arrived", step: 1, ids: [1] });
  for (let count = 0; count < 10_000; count += 1) state.receive(event);
  expect(() => state.receive(event)).toThrow(BufferFull);
  // what came before can still be taken
  expect(state.take()).toEqual({ item: JSON.parse(event) as unknown });
  // who watches nothing is kept nothing
  const blind = new StreamState(JSON_TEXT, undefined);
  blind.receive(event);
  expect(blind.take()).toBeUndefined();
});

it("takes the WebSocket that it is given, and sends its headers", async () => {
  const asked: unknown[] = [];
  class Recorded extends WebSocket {
    constructor(url: string, protocols: string[], options: object) {
      super(url, protocols, options);
      asked.push(url, protocols, options);
    }
  }
  const client = makeClient({ webSocket: Recorded, headers: { "X-Tenant": "a" }, key: "orca_k" });
  const world = await makePair(client);
  await world.lease("ann", 5);
  const stream = world.stream({ watch: false });
  expect((await stream.step()).step).toBe(1);
  stream.close();
  expect(asked).toMatchObject([
    expect.stringMatching(/^ws:/),
    // a browser cannot set headers, so the key travels as a subprotocol too
    ["orca-crowd.v1.msgpack", "orca-crowd.key.orca_k"],
    { headers: { "X-Tenant": "a", "Orca-Crowd-Lease": "ann", Authorization: "Bearer orca_k" } },
  ]);
});

it("does not use a key that is waiting for its answer twice", async () => {
  const world = await makePair();
  const stream = world.stream({ watch: false });
  const first = stream.step(1, { key: "k" });
  await expect(stream.step(1, { key: "k" })).rejects.toThrow(OrcaCrowdError);
  expect((await first).step).toBe(1);
  stream.close();
});
