import { describe, expect, it } from "vitest";
import { BadRequest, Conflict, ConnectionFailed, Gone, InvalidRequest, NotFound, ProtocolError, TimedOut, WrongKind } from "../src/index.js";
import { Client, type EncodingName } from "../src/index.js";
import { makeClient, makeWorld } from "./support.js";

describe.each<EncodingName>(["msgpack", "json"])("a client in %s", (encoding) => {
  const client = makeClient({ encoding });

  it("asks the server about itself", async () => {
    const info = await client.info();
    expect(info.version).toMatch(/^\d+\.\d+/);
    expect(info.limits["agents_per_world"]).toBeGreaterThan(0);
  });

  it("says which version it is, and is told when that is too old", async () => {
    expect((await client.info()).clients).toHaveProperty("typescript");
    const old = makeClient({ encoding, headers: { "Orca-Crowd-Client": "typescript/0.0.9" } });
    expect((await old.info()).clients["typescript"]).toMatch(/^\d+\.\d+\.\d+$/);
    await expect(old.worlds()).rejects.toThrow(BadRequest);
    await expect(old.worlds()).rejects.toMatchObject({ status: 400, code: "client-too-old" });
  });

  it("creates, lists, describes, changes and deletes worlds", async () => {
    const world = await makeWorld(client, { name: "hall", seed: 7, options: { profile: "text" } });
    expect(world.description).toMatchObject({ name: "hall", seed: 7, profile: "text", step: 0, time_step: 0.1 });
    expect((await client.worlds()).map(({ id }) => id)).toContain(world.id);
    await world.update({ name: "plaza", clock: { mode: "realtime", rate: 50 } });
    expect(await client.world(world.id).describe()).toMatchObject({ name: "plaza", clock: { mode: "realtime", rate: 50 } });
    await world.delete();
    await expect(world.describe()).rejects.toThrow(NotFound);
  });

  it("restores a snapshot to the same bits", async () => {
    const world = await makeWorld(client);
    await world.addAgents({ position: [[0, 0], [3, 0.1]], goal: [[3, 0], [0, 0]] });
    await world.step(5);
    const copy = await client.restore(await world.snapshot(), { id: `copy-${encoding}` });
    try {
      expect(await copy.digest()).toEqual(await world.digest());
      await expect(client.restore(await world.snapshot(), { id: copy.id })).rejects.toThrow(Conflict);
    } finally {
      await copy.delete();
    }
  });

  it("steers a world that the caller keeps", async () => {
    const agents = { position: Float64Array.of(0, 0, 9, 9), preferred_velocity: [1, 0] as const, radius: 0.4 };
    expect(Array.from(await client.steer({ time_step: 0.1, agents }))).toEqual([1, 0, 1, 0]);
    const rows = [{ position: [0, 0], preferred_velocity: [-0, 1] }];
    const [x, y] = await client.steer({ time_step: 0.1, agents: rows, obstacles: [[[5, 5], [6, 5]]] });
    expect([x, y]).toEqual([-0, 1]);
  });

  it("tells a refusal by class, code, item and field", async () => {
    const world = await makeWorld(client);
    const failure = world.addAgents([{ position: [0, 0] }, { position: [1, 1], radius: -1 }]);
    await expect(failure).rejects.toThrow(InvalidRequest);
    await expect(failure).rejects.toMatchObject({ name: "InvalidRequest", status: 422, code: "invalid" });
    await expect(failure).rejects.toMatchObject({ errors: [{ item: 1, field: "radius" }] });
    await expect(failure).rejects.toThrow(/^422 invalid: .*item 1, radius/);
    expect((await world.agents()).length).toBe(0);
  });

  it("tells what never was from what is gone", async () => {
    const world = await makeWorld(client);
    const { ids } = await world.addAgents({ position: [[0, 0]] });
    await world.removeAgents(ids);
    await expect(world.agent(ids[0] as number)).rejects.toThrow(Gone);
    await expect(world.agent(77)).rejects.toThrow(NotFound);
  });
});

it("names what is wrong with a column that is not plainly numbers", async () => {
  const world = await makeWorld();
  const radius = [true, 1] as unknown as number[];
  await expect(world.addAgents({ position: [[0, 0], [1, 1]], radius })).rejects.toMatchObject({
    errors: [{ item: 0, field: "radius", message: expect.stringContaining("must be a number") as string }],
  });
});

it("refuses to send in JSON what JSON does not carry", async () => {
  const world = await makeWorld(makeClient({ encoding: "json" }));
  await expect(world.addAgents({ position: [[0, NaN]] })).rejects.toThrow(/carries no number that is not finite/);
});

it("says that nobody is there", async () => {
  const client = new Client("http://127.0.0.1:9", { retry: { attempts: 1, first: 0 } });
  await expect(client.info()).rejects.toThrow(ConnectionFailed);
});

it("gives an answer up after the time given", async () => {
  const slow = makeClient({ timeout: 0.02, fetch: (input, init) => new Promise((resolve, reject) => {
    init?.signal?.addEventListener("abort", () => reject(init.signal?.reason as Error));
    void input, resolve;
  }) });
  await expect(slow.info()).rejects.toThrow(TimedOut);
});

it("takes a proxy's page for what it is", async () => {
  const page = (status: number) => () =>
    Promise.resolve(new Response("<h1>elsewhere</h1>", { status, headers: { "content-type": "text/html" } }));
  await expect(makeClient({ fetch: page(502) }).info()).rejects.toMatchObject({ status: 502, code: "unknown" });
  await expect(makeClient({ fetch: page(200) }).info()).rejects.toThrow(ProtocolError);
  await expect(makeClient({ fetch: page(415) }).info()).rejects.toThrow(WrongKind);
});
