// Connections that break, by a proxy in front of the real server.

import { afterEach, beforeEach, expect, inject, it } from "vitest";
import { Client, ConnectionFailed, type Frame, commands } from "../src/index.js";
import { FlakyProxy } from "./proxy.js";
import { makeClient, makePair, until } from "./support.js";

const QUICK = { attempts: 8, first: 0.02, longest: 0.1 };
let proxy: FlakyProxy;
let through: Client;

beforeEach(async () => {
  proxy = await FlakyProxy.start(inject("url"));
  through = new Client(proxy.url, { retry: QUICK });
});
afterEach(() => proxy.stop());

it("repeats a request with a key over a broken connection, with one effect", async () => {
  const world = await makePair();
  proxy.swallowing = true;
  const stepping = through.world(world.id).step(2);
  await until(() => proxy.taken >= 2);
  proxy.swallowing = false;
  expect((await stepping).step).toBe(2);
  expect((await world.describe()).step).toBe(2);
});

it("does not repeat what has no key, and says that it may have taken effect", async () => {
  const world = await makePair();
  proxy.swallowing = true;
  const failure = through.world(world.id).addAgents({ position: [[0, 9]] });
  await expect(failure).rejects.toThrow(ConnectionFailed);
  await expect(failure).rejects.toThrow(/may have taken effect/);
  expect(proxy.taken).toBe(1);
  expect((await world.agents()).length).toBe(3);
});

it("connects again, goes on after the last step, and misses nothing", async () => {
  const world = await makePair(makeClient());
  const stream = through.world(world.id).stream({ delivery: "every", reconnect: QUICK });
  const lost: string[] = [];
  stream.on("lost", (error) => void lost.push(error.name));
  const frames: Frame[] = [(await stream.receive(20)) as Frame];
  await world.step(2);
  while (frames.length < 3) frames.push((await stream.receive(20)) as Frame);
  proxy.refusing = true;
  proxy.cut();
  await world.step(3);
  await until(() => lost.length > 0);
  proxy.refusing = false;
  while (frames.at(-1)?.step !== 5) frames.push((await stream.receive(20)) as Frame);
  expect(frames.map(({ type, step, gap }) => [type, step, gap])).toEqual([
    ["full", 0, false],
    ...[1, 2, 3, 4, 5].map((step) => ["frame", step, false]),
  ]);
  expect(frames.at(-1)?.position).toEqual((await world.agents()).position);
  expect(lost[0]).toBe("ConnectionFailed");
  stream.close();
});

it("sends again what was not answered, with one effect", async () => {
  const world = await makePair(makeClient());
  const stream = through.world(world.id).stream({ watch: false, reconnect: QUICK });
  await stream.ping();
  proxy.swallowing = true;
  const [added, stepped, pong] = [
    stream.command([commands.addAgents({ id: [9], position: [[0, 9]] })]),
    stream.step(2),
    stream.ping(7),
  ];
  await until(() => proxy.taken >= 2);
  proxy.swallowing = false;
  expect(Array.from((await added).results[0]?.["ids"] as Float64Array)).toEqual([9]);
  expect((await stepped).step).toBe(2);
  expect(await pong).toBe(7);
  expect(await world.describe()).toMatchObject({ step: 2, agents: 3 });
  stream.close();
});

it("gives up after the tries that it was given", async () => {
  const world = await makePair(makeClient());
  const stream = through.world(world.id).stream({ reconnect: { attempts: 2, first: 0 } });
  await stream.receive();
  proxy.refusing = true;
  proxy.cut();
  await expect(stream.receive(20)).rejects.toThrow(ConnectionFailed);
  await expect(stream.step()).rejects.toThrow(ConnectionFailed);
});

it("takes a connection without any message for lost", async () => {
  const world = await makePair(makeClient());
  const stream = through.world(world.id).stream({ reconnect: QUICK, silence: 0.3 });
  const lost: string[] = [];
  stream.on("lost", (error) => void lost.push(error.message));
  await stream.receive();
  await until(() => lost.length > 0);
  expect(lost[0]).toContain("nothing came for 0.3 s");
  expect((await stream.step()).step).toBe(1);
  stream.close();
});
