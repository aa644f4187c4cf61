// Worlds on the live server, removed after each test.

import { afterEach, inject } from "vitest";
import { Client, type ClientOptions, type NewWorld, type World } from "../src/index.js";

const made: World[] = [];

afterEach(async () => {
  await Promise.all(made.splice(0).map((world) => world.delete().catch(() => undefined)));
});

/** A client of the live server. */
export function makeClient(options: ClientOptions = {}): Client {
  return new Client(inject("url"), options);
}

/** A world with time step 0.1 and the given members. */
export async function makeWorld(client = makeClient(), members: Partial<NewWorld> = {}): Promise<World> {
  const world = await client.createWorld({ time_step: 0.1, ...members });
  made.push(world);
  return world;
}

/** A world with two agents that swap places. */
export async function makePair(client = makeClient(), members: Partial<NewWorld> = {}): Promise<World> {
  const world = await makeWorld(client, members);
  await world.addAgents({ position: [[-5, 0], [5, 0]], goal: [[5, 0], [-5, 0]] });
  return world;
}

/** Wait until the condition holds. */
export async function until(condition: () => boolean, seconds = 20): Promise<void> {
  const deadline = Date.now() + seconds * 1000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`not within ${seconds} s: ${condition.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
