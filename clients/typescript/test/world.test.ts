import { describe, expect, it } from "vitest";
import { CannotEncode, Conflict, type EncodingName, commands } from "../src/index.js";
import { makeClient, makePair, makeWorld } from "./support.js";

const LARGEST = 2 ** 53 - 1;

describe.each<EncodingName>(["msgpack", "json"])("a world in %s", (encoding) => {
  const client = makeClient({ encoding });

  it("keeps every bit of a number, in columns and in rows", async () => {
    const numbers = [-0, 5e-324, 1 / 3, -123456.789, 0.1, 1e9];
    const world = await makeWorld(client);
    await world.addAgents({ position: numbers.map((x) => [x, -x] as const), radius: 0, id: numbers.map((_, row) => row) });
    await world.addAgents(numbers.map((x) => ({ position: [x, -x], radius: 0 })));
    const { position, length } = await world.agents();
    expect(length).toBe(2 * numbers.length);
    const wanted = [...numbers, ...numbers].flatMap((x) => [x, -x]);
    // toEqual tells -0 from 0
    expect(Array.from(position)).toEqual(wanted);
  });

  it("takes ids up to 2^53 - 1", async () => {
    const world = await makeWorld(client);
    const { ids } = await world.addAgents({ id: [LARGEST, 2 ** 32, 0], position: [[0, 0], [2, 0], [4, 0]] });
    expect(Array.from(ids)).toEqual([LARGEST, 2 ** 32, 0]);
    const found = await world.agents({ ids: [2 ** 32, LARGEST], fields: ["position", "status"] });
    expect(Array.from(found.ids)).toEqual([2 ** 32, LARGEST]);
    expect(found.status).toEqual(["no-goal", "no-goal"]);
    expect(found.of(LARGEST)).toEqual([0, 0]);
    expect((await world.agent(LARGEST)).id).toBe(LARGEST);
  });

  it("changes agents, one value for all, and null clears", async () => {
    const world = await makePair(client);
    await world.setAgents([0, 1], { max_speed: 2, goal: null });
    const { max_speed, goal } = await world.agents({ fields: ["max_speed", "goal"] });
    expect(Array.from(max_speed)).toEqual([2, 2]);
    expect(Array.from(goal)).toEqual([NaN, NaN, NaN, NaN]);
    await world.setAgents([{ id: 1, goal: [1, 2] }]);
    expect(await world.setAgent(0, { radius: 0.25 })).toMatchObject({ id: 0, radius: 0.25 });
    expect((await world.agent(1)).goal).toEqual([1, 2]);
    await world.removeAgent(0);
    expect(Array.from((await world.removeAgents([1])).removed)).toEqual([1]);
  });

  it("adds, reads, replaces and removes obstacles and walkable areas", async () => {
    const world = await makeWorld(client);
    const [wall] = (await world.addObstacles([[[-2, 2], [2, 2]]])).ids;
    await world.setObstacle(wall as number, { points: [[0, 0], [1, 0], [1, 1]], closed: true });
    expect(await world.obstacle(wall as number)).toMatchObject({ points: [[0, 0], [1, 0], [1, 1]], closed: true });
    expect(await world.obstacles()).toHaveLength(1);
    await world.removeObstacle(wall as number);
    expect(await world.obstacles()).toEqual([]);
    const room = { type: "Polygon" as const, coordinates: [[[0, 0], [9, 0], [9, 9], [0, 9], [0, 0]]] };
    const [area] = (await world.addWalkable([room])).ids;
    await world.setWalkable(area as number, { geometry: room, clearance: 0.5 });
    expect(await world.walkableArea(area as number)).toMatchObject({ clearance: 0.5 });
    expect(await world.walkable()).toHaveLength(1);
    await world.removeWalkable(area as number);
    expect(await world.walkable()).toEqual([]);
  });

  it("takes maps as text and as GeoJSON", async () => {
    const world = await makeWorld(client);
    const grid = "type octile\nheight 3\nwidth 3\nmap\n...\n.@.\n...\n";
    expect((await world.addMap(grid, { as: "obstacles", cell_size: 2 })).ids.length).toBeGreaterThan(0);
    const line = { type: "Feature", properties: {}, geometry: { type: "LineString", coordinates: [[20, 20], [30, 20]] } };
    expect((await world.addMap(line, { as: "obstacles" })).ids).toHaveLength(1);
  });

  it("runs commands, all or nothing, and once for each key", async () => {
    const world = await makeWorld(client);
    const batch = [
      commands.addAgents({ id: [4, 5], position: [[0, 0], [5, 0]], goal: [[1, 0], [4, 0]] }),
      commands.setAgents([5], { radius: 0.25 }),
      commands.addObstacles([[[0, 9], [9, 9]]]),
    ];
    const first = await world.commands(batch, { key: "once" });
    expect(await world.commands(batch, { key: "once" })).toEqual(first);
    expect(Array.from(first.results[0]?.["ids"] as Float64Array)).toEqual([4, 5]);
    await expect(world.commands([commands.removeAgents([4])], { key: "once" })).rejects.toMatchObject({ code: "key-reused" });
    await expect(world.commands([commands.removeAgents([4]), commands.removeObstacle(99)])).rejects.toThrow();
    expect((await world.agents()).length).toBe(2);
  });

  it("steps, and gives what was asked for", async () => {
    const world = await makePair(client);
    const stepped = await world.step(3, { expected_step: 0, return: "agents", fields: ["velocity"], ids: [1] });
    expect(stepped).toMatchObject({ step: 3, events: [] });
    expect(Array.from(stepped.agents?.ids ?? [])).toEqual([1]);
    expect(Array.from(stepped.agents?.velocity ?? [])).toEqual([-1.5, 0]);
    await expect(world.step(1, { expected_step: 0 })).rejects.toMatchObject({ code: "wrong-step", more: { step: 3 } });
    const { digest } = await world.step(1, { return: "digest", commands: [commands.setAgents([0], { goal: null })] });
    expect(digest).toBe((await world.digest()).sha256);
  });

  it("finds ways, and says where there is none", async () => {
    const world = await makeWorld(client);
    await world.addObstacles([[[5, -3], [5, 3]]]);
    await world.addObstacles([{ points: [[20, 0], [22, 0], [22, 2], [20, 2]], closed: true }]);
    const { step, paths } = await world.paths([{ from: [0, 0], to: [9, 0], radius: 0.5 }, { from: [0, 0], to: [21, 1] }]);
    expect(step).toBe(0);
    expect(paths[0]?.length).toBeGreaterThan(9);
    expect(paths[0]?.waypoints?.at(-1)).toEqual([9, 0]);
    expect(paths[1]).toMatchObject({ unreachable: true, reason: "goal-off-surface" });
  });

  it("explains one agent", async () => {
    const world = await makePair(client);
    await world.step(30);
    const told = await world.explain(0);
    expect(told).toMatchObject({ step: 30, status: "moving", neighbors: [{ id: 1 }], program: { status: "feasible" } });
    expect(told).toMatchObject({ constraints: [{ kind: "agent", source: 1 }] });
  });
});

it("holds the right to step, and gives it back", async () => {
  const client = makeClient();
  const world = await makePair(client);
  expect(await world.lease("ann", 5)).toMatchObject({ holder: "ann" });
  await expect(client.world(world.id).step()).rejects.toThrow(Conflict);
  expect((await world.step()).step).toBe(1);
  await world.releaseLease();
  expect((await client.world(world.id).step()).step).toBe(2);
});

it("removes more agents than a URL holds, all or nothing", async () => {
  const world = await makeWorld();
  const count = 2000;
  const position = Float64Array.from({ length: 2 * count }, (_, place) => 3 * place);
  const { ids } = await world.addAgents({ position });
  await expect(world.agents({ ids })).rejects.toThrow(CannotEncode);
  expect((await world.removeAgents(ids)).removed).toHaveLength(count);
  expect((await world.agents()).length).toBe(0);
});

it("leaves it to the server to refuse half a pair", async () => {
  const world = await makeWorld();
  const failure = world.addAgents({ position: Float64Array.of(1, 2, 3), radius: 0.5 });
  await expect(failure).rejects.toMatchObject({ code: "invalid", errors: [{ field: "position" }] });
});

it("reads in float32 where asked for", async () => {
  const world = await makePair();
  const { position } = await world.agents({ precision: "float32", offset: 1, limit: 1 });
  expect(position).toEqual(Float32Array.of(5, 0));
});
