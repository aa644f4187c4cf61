// The README: its first block in Node, from the package as npm would install it; the others against the live server.

import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type Agents, Client, Stream, World, commands } from "../src/index.js";
import { makeClient, makeWorld, until } from "./support.js";

const run = promisify(execFile);
const PACKAGE = resolve(import.meta.dirname, "..");
const README = await readFile(join(PACKAGE, "README.md"), "utf8");
const BLOCKS = Array.from(README.matchAll(/^```ts\n(.*?)^```/gms), (match) => match[1] as string);
const [QUICK_START, COLUMNS, LOOP, WATCHING, LISTENING, CONTROLLERS] = BLOCKS as [string, string, string, string, string, string];

// what the blocks after the first take as given
const GIVEN = `
import { type Agents, type CrowdEvent, type Numbers, type Identifiers, type World, commands } from "@orca-crowd/client";
declare const world: World;
declare const positions: [number, number][], goals: [number, number][], wanted: [number, number][], mine: Identifiers;
declare function draw(id: number | Identifiers, x: number | Numbers | undefined, y?: number): void;
declare function report(kind: string, ids: readonly number[]): void;
declare function use(agents: Agents | undefined, events: readonly CrowdEvent[]): void;
declare function playing(): boolean;
declare function enough(): boolean;
`;

/** Run a block with the names that it takes as given. */
async function runBlock(block: string, given: Record<string, unknown>): Promise<void> {
  const parts = `return (async () => {\n${block}\n})()`;
  const made = new Function(...Object.keys(given), parts) as (...values: unknown[]) => Promise<void>;
  await made(...Object.values(given));
}

/** True so many times. */
function times(count: number): () => boolean {
  return () => (count -= 1) >= 0;
}

it("begins with ten lines", () => {
  expect(README.startsWith("```ts\nimport { Client }")).toBe(true);
  expect(QUICK_START.trim().split("\n")).toHaveLength(10);
  expect(BLOCKS).toHaveLength(6);
});

it("names every method", () => {
  for (const kind of [Client, World, Stream]) {
    const methods = Object.getOwnPropertyNames(kind.prototype).filter((name) => {
      const member = Object.getOwnPropertyDescriptor(kind.prototype, name);
      return typeof member?.value === "function" && !["constructor", "call"].includes(name);
    });
    expect(methods.length).toBeGreaterThan(5);
    expect(methods.filter((name) => !README.includes(`\`${name}\``))).toEqual([]);
  }
});

describe("the package", () => {
  let folder: string;
  let installed: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "orca-crowd-client-"));
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
    const { stdout } = await run("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: PACKAGE });
    const name = stdout.trim().split("\n").at(-1) as string;
    installed = join(folder, "node_modules/@orca-crowd/client");
    await mkdir(installed, { recursive: true });
    await run("tar", ["xzf", join(folder, name), "--strip-components=1", "-C", installed]);
    for (const needed of ["@msgpack", "ws"]) {
      await symlink(join(PACKAGE, "node_modules", needed), join(folder, "node_modules", needed));
    }
  }, 60_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("holds the built files with their types, and no test", async () => {
    expect((await readdir(installed)).sort()).toEqual(["LICENSE", "README.md", "dist", "package.json"]);
    expect(await readdir(join(installed, "dist"))).toEqual(expect.arrayContaining(["index.js", "index.d.ts"]));
    const { dependencies } = JSON.parse(await readFile(join(installed, "package.json"), "utf8")) as Record<string, object>;
    expect(Object.keys(dependencies ?? {})).toEqual(["@msgpack/msgpack"]);
  });

  it("runs the first block in Node: two agents swap places", async () => {
    expect(QUICK_START).toContain("http://127.0.0.1:8000");
    await writeFile(join(folder, "start.mjs"), QUICK_START.replace("http://127.0.0.1:8000", inject("url")));
    const { stdout } = await run(process.execPath, ["start.mjs"], { cwd: folder });
    const [, numbers] = /Float64Array\(4\) \[([^\]]*)\]/.exec(stdout) ?? [];
    const places = (numbers ?? "").split(",").map(Number);
    [5, 0, -5, 0].forEach((wanted, place) => expect(places[place]).toBeCloseTo(wanted, 6));
    // the block keeps its world; those of tests that run beside this one are theirs to delete
    const left = (await makeClient().worlds()).filter(
      ({ description }) => description?.agents === 2 && description.obstacles === 1 && description.step === Number(/\d+/.exec(stdout)?.[0]),
    );
    await Promise.all(left.map((world) => world.delete()));
  });

  it("streams in this Node with nothing but `ws` installed", async () => {
    const script = `
      import { Client } from "@orca-crowd/client";
      const world = await new Client("${inject("url")}").createWorld({ time_step: 0.1 });
      const stream = world.stream();
      for await (const frame of stream.frames()) { console.log(frame.type); break; }
      stream.close();
      await world.delete();
    `;
    await writeFile(join(folder, "stream.mjs"), script);
    expect((await run(process.execPath, ["stream.mjs"], { cwd: folder })).stdout).toBe("full\n");
  });

  it.skipIf("WebSocket" in globalThis)("says what to do where this Node has no WebSocket", async () => {
    const bare = await mkdtemp(join(tmpdir(), "orca-crowd-bare-"));
    try {
      await cp(join(folder, "node_modules/@orca-crowd"), join(bare, "node_modules/@orca-crowd"), { recursive: true });
      await cp(join(PACKAGE, "node_modules/@msgpack"), join(bare, "node_modules/@msgpack"), { recursive: true });
      const script = `
        import { Client } from "@orca-crowd/client";
        const stream = new Client("${inject("url")}").world("any").stream();
        await stream.open().catch((error) => console.log(error.name, error.message));
      `;
      await writeFile(join(bare, "stream.mjs"), script);
      const { stdout } = await run(process.execPath, ["stream.mjs"], { cwd: bare });
      expect(stdout).toContain("OrcaCrowdError this JavaScript has no WebSocket: `npm install ws`");
    } finally {
      await rm(bare, { recursive: true, force: true });
    }
  });

  it("has types by which every block is right", async () => {
    for (const [place, block] of BLOCKS.entries()) {
      await writeFile(join(folder, `block-${place}.ts`), place === 0 ? block : `${GIVEN}\n${block}\nexport {};\n`);
    }
    const compilerOptions = { noEmit: true, strict: true, target: "es2022", module: "nodenext", lib: ["es2022", "dom"], types: [] };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["block-*.ts"] }));
    const checked = run(process.execPath, [join(PACKAGE, "node_modules/typescript/bin/tsc")], { cwd: folder });
    const complaints = await checked.then(() => "", (error: { stdout: string }) => error.stdout);
    expect(complaints).toBe("");
  }, 60_000);
});

it("shows agents in columns that work", async () => {
  const world = await makeWorld();
  const drawn: number[][] = [];
  const draw = (...row: number[]) => void drawn.push(row);
  await runBlock(COLUMNS, { world, positions: [[10, 0], [20, 0]], goals: [[20, 5], [10, 5]], draw });
  expect(drawn).toEqual([[0, 10, 0], [1, 20, 0], [2, 0, 0], [3, 1, 1]]);
  const { max_speed, goal } = await world.agents({ fields: ["max_speed", "goal"] });
  expect(Array.from(max_speed)).toEqual([2, 2, 1.5, 1.5]);
  expect(Array.from(goal)).toEqual([NaN, NaN, NaN, NaN, 3, 4, NaN, NaN]);
});

it("shows a tight loop that works", async () => {
  const world = await makeWorld();
  const mine = (await world.addAgents({ position: [[0, 0], [5, 0]] })).ids;
  const used: Agents[] = [];
  await runBlock(LOOP, { world, mine, wanted: [[0, 1], [0, -1]], commands, playing: times(5), use: (agents: Agents) => used.push(agents) });
  expect(used.map(({ step }) => step)).toEqual([1, 2, 3, 4, 5]);
  expect(Array.from(used[4]?.velocity ?? [])).toEqual([0, 1, 0, -1]);
});

it.each([["an iterator", WATCHING, 3], ["listeners", LISTENING, 0]])("shows watching with %s that works", async (_, block, count) => {
  const world = await makeWorld(makeClient(), { clock: { mode: "realtime", rate: 100 } });
  await world.addAgents({ position: [[0, 0]], goal: [[0.1, 0]] });
  let draws = 0;
  const kinds: string[] = [];
  const said: string[] = [];
  const running = runBlock(block, {
    world,
    draw: (ids: Float64Array, position: Float64Array) => {
      expect(position).toHaveLength(2 * ids.length);
      draws += 1;
    },
    report: (kind: string) => kinds.push(kind),
    enough: () => draws > count,
    console: { log: (text: string) => said.push(text) },
  });
  await world.setAgents([0], { goal: [100, 0] });
  await running;
  await until(() => draws > 2);
  await world.delete();
  // a machine that is busy may be late
  expect(kinds.filter((kind) => kind !== "late" && kind !== "arrived")).toEqual([]);
  if (count === 0) await until(() => said.length === 1 && said[0]?.includes("4004") === true);
});

it("shows several controllers that work", async () => {
  const world = await makeWorld(makeClient(), { clock: { mode: "barrier", timeout: 5 } });
  const mine = (await world.addAgents({ position: [[0, 0], [5, 0]] })).ids;
  const used: Agents[] = [];
  await runBlock(CONTROLLERS, { world, mine, wanted: [[0, 1], [0, -1]], commands, playing: times(3), use: (agents: Agents) => used.push(agents) });
  expect(used.map(({ step }) => step)).toEqual([1, 2, 3]);
});
