// What a subscription is about, and how exactly it is told, against the state that REST reads.

import { describe, expect, it } from "vitest";
import { Agents, type EncodingName, type Frame, InvalidRequest, NotFound, type Subscription, type World } from "../src/index.js";
import { makeClient, makeWorld } from "./support.js";

/** Five on a line, walking to the right at different speeds; the last one stands. */
async function makeWalkers(encoding: EncodingName): Promise<World> {
  const world = await makeWorld(makeClient({ encoding }), { options: { profile: "text" } });
  const ids = [11, 3, 2 ** 53 - 1, 7, 5];
  await world.addAgents({
    id: ids,
    position: ids.map((_, row) => [-4 - row, 3 * row] as const),
    preferred_velocity: ids.map((_, row) => [row === 4 ? 0 : 1.5 - 0.1 * row, 0] as const),
    max_neighbors: 0,
  });
  return world;
}

async function watch(world: World, subscription: Subscription, steps: number): Promise<[Frame[], Agents[]]> {
  const stream = world.stream({ delivery: "every", ...subscription });
  const frames = [(await stream.receive(20)) as Frame];
  const states = [await world.agents()];
  for (let step = 1; step <= steps; step += 1) {
    await world.step();
    states.push(await world.agents());
    frames.push((await stream.receive(20)) as Frame);
  }
  stream.close();
  return [frames, states];
}

/** Positions by id. */
function places(agents: Agents, keep: (x: number, y: number) => boolean = () => true): Map<number, number[]> {
  const found = Array.from(agents.ids, (id) => [id, agents.of(id)] as const);
  return new Map(found.filter(([, [x, y]]) => keep(x as number, y as number)).sort(([one], [other]) => one - other));
}

describe.each<EncodingName>(["msgpack", "json"])("in %s", (encoding) => {
  it("tells who comes into a circle and who goes", async () => {
    const world = await makeWalkers(encoding);
    const interest = { kind: "circle" as const, center: [0, 0], radius: 4.5 };
    const [frames, states] = await watch(world, { interest }, 60);
    const inside = (x: number, y: number) => x * x + y * y <= 4.5 * 4.5;
    frames.forEach((frame, place) => expect(places(frame)).toEqual(places(states[place] as Agents, inside)));
    expect(frames.flatMap(({ entered }) => Array.from(entered))).toEqual([3]);
    expect(frames.flatMap(({ left }) => Array.from(left))).toEqual(expect.arrayContaining([11, 3]));
  });

  it("knows lists, rectangles and surroundings", async () => {
    const world = await makeWalkers(encoding);
    const shown = async (interest: Subscription["interest"]) => {
      const [[full, frame], [, state]] = await watch(world, { interest: interest as never }, 1);
      for (const [id, place] of places(frame as Frame)) expect(place).toEqual(state?.of(id));
      return Array.from((full as Frame).ids);
    };
    expect(await shown({ kind: "ids", ids: [5, 3] })).toEqual([3, 5]);
    expect(await shown({ kind: "rectangle", min: [-10, 2], max: [10, 6.5] })).toEqual([3, 2 ** 53 - 1]);
    expect(await shown({ kind: "around", id: 2 ** 53 - 1, radius: 3.5 })).toEqual([3, 2 ** 53 - 1, 7]);
    const stream = world.stream({ interest: { kind: "ids", ids: [4] } });
    await expect(stream.receive(20)).rejects.toThrow(NotFound);
    stream.subscribe({ interest: { kind: "circle", center: [0, 0], radius: -1 } });
    await expect(stream.receive(20)).rejects.toThrow(InvalidRequest);
    stream.close();
  });

  it("sends changed rows alone, or all", async () => {
    const world = await makeWalkers(encoding);
    const [changed, states] = await watch(world, { fields: ["position"] }, 3);
    changed.forEach((frame, place) => expect(places(frame)).toEqual(places(states[place] as Agents)));
    expect(changed.slice(1).map((frame) => frame.changed.includes(5))).toEqual([false, false, false]);
    const [all] = await watch(world, { fields: ["position"], rows: "all", precision: "float32" }, 2);
    expect(all.map((frame) => frame.changed.length)).toEqual([5, 5, 5]);
    expect(all[2]?.of(11)).toEqual(Array.from(new Float32Array((await world.agents()).of(11))));
  });

  it.each(["int16", "int8"] as const)("reads %s within what it promises", async (precision) => {
    const world = await makeWalkers(encoding);
    const [frames, states] = await watch(world, { precision, fields: ["position", "radius"] }, 30);
    // five seconds' way in so many whole numbers, and the rounding of the base
    const error = precision === "int16" ? 1e-3 : 0.1;
    frames.forEach((frame, place) => {
      for (const [id, [x, y]] of places(states[place] as Agents)) {
        expect(Math.abs((frame.of(id)[0] as number) - (x as number))).toBeLessThan(error);
        expect(Math.abs((frame.of(id)[1] as number) - (y as number))).toBeLessThan(error);
      }
      expect(Array.from(frame.numbers("radius"))).toEqual([0.5, 0.5, 0.5, 0.5, 0.5]);
    });
  });
});
