// Several controllers of one world.

import { expect, inject, it } from "vitest";
import { Client, Conflict, type CrowdEvent, Forbidden, commands } from "../src/index.js";
import { FlakyProxy } from "./proxy.js";
import { makeClient, makeWorld, until } from "./support.js";

const BARRIER = { clock: { mode: "barrier", timeout: 30 } } as const;

async function makePlaces(members: object = BARRIER) {
  const world = await makeWorld(makeClient(), members);
  await world.addAgents({ id: [1, 2], position: [[0, 0], [0, 9]] });
  return world;
}

it("steps a barrier world when everybody is ready, with everybody's orders", async () => {
  const world = await makePlaces();
  const [left, right] = [world.stream({ watch: false }), world.stream({ watch: false })];
  await left.register("left");
  await right.register("right");
  expect(Array.from((await left.own([1])).results[0]?.["owned"] as Float64Array)).toEqual([1]);
  const move = (id: number, x: number) => [commands.setAgents([id], { preferred_velocity: [x, 0] })];
  let answered = false;
  const first = left.ready({ commands: move(1, 1), return: "agents", fields: ["velocity"] });
  void first.then(() => (answered = true));
  await left.ping();
  expect(answered).toBe(false);
  const second = right.ready({ for_step: 1, commands: move(2, -1), return: "digest" });
  const [one, other] = await Promise.all([first, second]);
  expect([one.step, other.step]).toEqual([1, 1]);
  expect(Array.from(one.agents?.velocity ?? [])).toEqual([1, 0, -1, 0]);
  expect([one.sequence, other.sequence]).toEqual([3, 4]);
  await expect(left.ready({ for_step: 1 })).rejects.toMatchObject({ code: "wrong-step", more: { step: 1 } });
  // nobody waits for who has left
  await right.unregister();
  expect((await left.ready()).step).toBe(2);
  left.close();
  right.close();
});

it("does not wait for ever, and says for whom", async () => {
  const world = await makePlaces({ clock: { mode: "barrier", timeout: 0.2 } });
  const stream = world.stream({ fields: [] });
  await stream.receive();
  await stream.register("here");
  const late = world.stream({ watch: false });
  await late.register("late");
  const events: CrowdEvent[] = [];
  stream.on("event", (event) => void events.push(event));
  expect((await stream.ready()).step).toBe(1);
  await until(() => events.length > 0);
  expect(events[0]).toMatchObject({ kind: "barrier-timeout", step: 1, controllers: ["late"] });
  stream.close();
  late.close();
});

it("refuses orders for somebody else's agents, over the socket and over REST", async () => {
  const world = await makePlaces({});
  const [mine, other] = [world.stream({ watch: false }), world.stream({ watch: false })];
  await expect(mine.own([1])).rejects.toMatchObject({ code: "not-registered" });
  await mine.register("mine");
  await other.register("other");
  await mine.own([1, 2]);
  await expect(other.own([2])).rejects.toThrow(Forbidden);
  await expect(other.command([commands.removeAgents([2])])).rejects.toMatchObject({ code: "owned" });
  await expect(world.setAgents([1], { radius: 1 })).rejects.toThrow(Forbidden);
  world.controller = "mine";
  expect((await world.setAgents([1], { radius: 1 })).step).toBe(0);
  expect(Array.from((await mine.disown([2])).results[0]?.["owned"] as Float64Array)).toEqual([1]);
  await other.command([commands.removeAgents([2])]);
  await expect(mine.ready()).rejects.toThrow(Conflict);
  mine.close();
  other.close();
});

it("tells a controller that another socket has taken its name", async () => {
  const world = await makePlaces({});
  const [older, newer] = [world.stream({ watch: false }), world.stream({ watch: false })];
  const refusals: string[] = [];
  older.on("error", (error) => void refusals.push(error.code));
  await older.register("one");
  await older.own([1]);
  expect(Array.from((await newer.register("one")).results[0]?.["owned"] as Float64Array)).toEqual([1]);
  await until(() => refusals.length === 1);
  expect(refusals).toEqual(["replaced"]);
  await expect(older.own([2])).rejects.toMatchObject({ code: "not-registered" });
  older.close();
  newer.close();
});

it("is the controller of that name again after a connection broke, and still owns what it owned", async () => {
  const proxy = await FlakyProxy.start(inject("url"));
  try {
    const world = await makePlaces();
    const through = new Client(proxy.url, { retry: { attempts: 8, first: 0.02 } });
    const stream = through.world(world.id).stream({ watch: false, reconnect: { attempts: 8, first: 0.02 } });
    await stream.register("mine");
    await stream.own([1]);
    proxy.cut();
    const order = commands.setAgents([1], { preferred_velocity: [1, 0] });
    expect((await stream.ready({ commands: [order] })).step).toBe(1);
    await expect(world.removeAgents([1])).rejects.toThrow(Forbidden);
    stream.close();
  } finally {
    await proxy.stop();
  }
});
