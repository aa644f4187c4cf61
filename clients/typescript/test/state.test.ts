// The merging rule: whole states and what changed in them.

import { expect, it } from "vitest";
import { CrowdState, type Frame, ProtocolError } from "../src/index.js";

type Rows = Record<number, [number, number]>;
type Message = Record<string, unknown>;

/** A `full` or `frame` with these positions, radius the id and status the step. */
function told(type: "full" | "frame", step: number, rows: [number, number, number][], members: Message = {}): Message {
  return {
    type,
    step,
    time: step / 10,
    ...(type === "frame" ? { since: step - 1, entered: [], left: [] } : {}),
    ids: rows.map(([id]) => id),
    position: rows.map(([, x, y]) => [x, y]),
    radius: rows.map(([id]) => id),
    status: rows.map(() => `s${step}`),
    ...members,
  };
}

function positions(frame: Frame): Rows {
  return Object.fromEntries(Array.from(frame.ids, (id) => [id, frame.of(id)])) as Rows;
}

function merged(...messages: Message[]): Frame[] {
  const state = new CrowdState();
  return messages.map((message) => state.apply(message));
}

it("keeps who is not in a frame as before", () => {
  const [full, second, third] = merged(
    told("full", 5, [[1, 1, 1], [2, 2, 2], [3, 3, 3]]),
    told("frame", 6, [[2, 2, 9]]),
    told("frame", 7, []),
  ) as [Frame, Frame, Frame];
  expect(positions(second)).toEqual({ 1: [1, 1], 2: [2, 9], 3: [3, 3] });
  expect(positions(third)).toEqual(positions(second));
  expect(third.status).toEqual(["s5", "s6", "s5"]);
  expect(Array.from(third.radius)).toEqual([1, 2, 3]);
  expect([full, second, third].map(({ changed }) => Array.from(changed))).toEqual([[1, 2, 3], [2], []]);
  // what a caller holds is not written to later
  expect(positions(full)).toEqual({ 1: [1, 1], 2: [2, 2], 3: [3, 3] });
});

it("forgets who leaves and adds who enters", () => {
  const frames = merged(
    told("full", 5, [[1, 1, 1], [2, 2, 2], [3, 3, 3]]),
    told("frame", 6, [[9, 9, 9], [3, 3, 0]], { entered: [9], left: [1] }),
    told("frame", 7, [], { left: [2, 3] }),
    told("frame", 8, [[1, 0, 1]], { entered: [1] }),
    told("frame", 9, [], { left: [1, 9] }),
    told("frame", 10, [[4, 4, 4]], { entered: [4] }),
  );
  expect(frames.slice(1).map(positions)).toEqual([
    { 2: [2, 2], 3: [3, 0], 9: [9, 9] },
    { 9: [9, 9] },
    { 9: [9, 9], 1: [0, 1] },
    {},
    { 4: [4, 4] },
  ]);
  expect(frames[3]?.status).toEqual(["s6", "s8"]);
});

it("reads a frame without ids in the order last listed", () => {
  const without = { ids: undefined };
  const frames = merged(
    told("full", 5, [[7, 7, 7], [2, 2, 2]]),
    told("frame", 6, [[7, 8, 8], [2, 9, 9]], without),
    told("frame", 7, [[2, 1, 0], [7, 2, 0]]),
    told("frame", 8, [[2, 3, 0], [7, 4, 0]], without),
    told("frame", 9, [[7, 5, 0]], { ...without, left: [2] }),
  );
  expect(frames.slice(1).map(positions)).toEqual([
    { 7: [8, 8], 2: [9, 9] },
    { 2: [1, 0], 7: [2, 0] },
    { 2: [3, 0], 7: [4, 0] },
    { 7: [5, 0] },
  ]);
});

it("does not guess an order that was never told, nor build on a state that it does not have", () => {
  const first = told("full", 5, [[1, 1, 1], [2, 2, 2]]);
  expect(() => merged(told("frame", 6, [[1, 1, 1]], { ids: undefined }))).toThrow(/never sent/);
  expect(() => merged(first, told("frame", 6, [[3, 3, 3]], { entered: [3] }), told("frame", 7, [], { ids: undefined }))).toThrow(ProtocolError);
  expect(() => merged(first, told("frame", 7, [[1, 0, 0]], { since: 6 }))).toThrow(/builds on step 6/);
  // one with a row for everybody builds on nothing
  expect(() => merged(first, told("frame", 7, [[1, 0, 0], [2, 0, 0]], { since: 6 }))).not.toThrow();
});

it("refuses columns of another length than the ids, and rows that are no pair", () => {
  expect(() => merged(told("full", 5, [[1, 1, 1]], { radius: [1, 2] }))).toThrow("column radius has 2 rows for 1 agents");
  expect(() => merged(told("full", 5, [[1, 1, 1]], { position: [[1, 2, 3]] }))).toThrow(/no pair/);
  expect(() => merged(told("full", 5, [[1, 1, 1]], { position: new Uint8Array(12) }))).toThrow(/12 bytes/);
  expect(() => merged(told("full", 5, [[1, 1, 1]]), told("frame", 6, [[9, 9, 9]], { radius: undefined }))).toThrow(/without the column radius/);
});

it("reads whole numbers beside the base of a keyframe", () => {
  const bin = (array: Int16Array | Int8Array | Float32Array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  const scale = { position: 2 ** -6, velocity: 2 ** -8 };
  const first = {
    ...{ type: "full", step: 4, time: 0.4, ids: [1, 2], keyframe: 4, scale, based: [1, 2] },
    base: { position: bin(Float32Array.of(1, 2, 3, 4)), velocity: bin(Float32Array.of(0, 0, 1, 1)) },
    position: bin(Int16Array.of(1, -1, 0, 32767)),
    velocity: bin(Int16Array.of(0, 0, -256, 0)),
    radius: bin(Float32Array.of(0.5, 0.25)),
  };
  const second = {
    ...{ type: "frame", step: 5, time: 0.5, since: 4, ids: [2, 3], entered: [3], left: [], keyframe: 4 },
    ...{ scale: { position: 0.5, velocity: 0.5 }, based: [3], base: { position: [[9, 9]], velocity: [[0, 1]] } },
    ...{ position: [[2, 0], [-2, 0]], velocity: [[0, 0], [0, 0]], radius: [0.25, 0.75] },
  };
  const third = {
    ...{ type: "frame", step: 6, time: 0.6, since: 5, entered: [], left: [], ids: [1, 2, 3], keyframe: 6, scale, based: [1, 2, 3] },
    base: { position: bin(Float32Array.of(1, 1, 2, 2, 3, 3)), velocity: bin(new Float32Array(6)) },
    ...{ position: bin(Int8Array.of(64, 0, 0, 64, -128, 0)), velocity: bin(new Int8Array(6)), radius: bin(new Float32Array(3)) },
  };
  const frames = merged(first, second, third);
  expect(frames.map(positions)).toEqual([
    { 1: [1 + 1 / 64, 2 - 1 / 64], 2: [3, 4 + 32767 / 64] },
    { 1: [1 + 1 / 64, 2 - 1 / 64], 2: [4, 4], 3: [8, 9] },
    { 1: [2, 1], 2: [2, 3], 3: [1, 3] },
  ]);
  expect(frames[1]?.of(2, "velocity")).toEqual([1, 1]);
  expect(() => merged(first, { ...second, based: [] as number[], base: undefined })).toThrow(/no base of agent 3/);
});
