import { expect, it } from "vitest";
import { packIdentifiers, packNumbers, readColumn, readIdentifiers } from "../src/columns.js";
import { JSON_TEXT, MESSAGE_PACK, encodeColumns } from "../src/encoding.js";
import { CannotEncode, ProtocolError } from "../src/index.js";

const NUMBERS = [-0, 0, 5e-324, 1.7976931348623157e308, 0.1, 1 / 3, 2 ** 53 - 1, -(2 ** 53) + 1, 1.5, -128];

it.each([["MessagePack", MESSAGE_PACK], ["JSON", JSON_TEXT]])("%s keeps every bit, outside of columns too", (_, encoding) => {
  const body = { deep: [{ numbers: NUMBERS }], text: "“ü”", none: null, yes: true };
  // toEqual tells -0 from 0
  expect(encoding.decode(encoding.encode(body))).toEqual(body);
  expect(encoding.decode(encoding.encode({ given: 1, left: undefined }))).toEqual({ given: 1 });
});

it("sends whole numbers as integers and all others as float64", () => {
  expect(Array.from(MESSAGE_PACK.encode({ a: 3 }) as Uint8Array)).toEqual([0x81, 0xa1, 0x61, 0xcf, 0, 0, 0, 0, 0, 0, 0, 3]);
  expect(Array.from(MESSAGE_PACK.encode([-0]) as Uint8Array)).toEqual([0x91, 0xcb, 0x80, 0, 0, 0, 0, 0, 0, 0]);
});

it("packs columns that are plainly numbers, and leaves all else to the server", () => {
  expect(packNumbers("radius", [1, -0])).toEqual(Float64Array.of(1, -0));
  expect(packNumbers("radius", new Float32Array([0.5]))).toEqual(Float64Array.of(0.5));
  expect(packNumbers("goal", [[1, 2], Float64Array.of(3, 4)])).toEqual(Float64Array.of(1, 2, 3, 4));
  for (const wrong of [[true], ["1"], [null], 3]) expect(packNumbers("radius", wrong)).toBeUndefined();
  for (const wrong of [[[1]], [[1, 2, 3]], [null], [1, 2, 3]]) expect(packNumbers("goal", wrong)).toBeUndefined();
  expect(packIdentifiers([0, 2 ** 53 - 1])).toEqual(BigInt64Array.of(0n, 9007199254740991n));
  expect(packIdentifiers(Float64Array.of(7))).toEqual(BigInt64Array.of(7n));
  for (const wrong of [[0.5], ["1"], [NaN], [2 ** 53], 3]) expect(packIdentifiers(wrong)).toBeUndefined();
});

it("reads bins wherever they stand in a message", () => {
  const message = new Uint8Array(3 + 16);
  message.set(new Uint8Array(Float64Array.of(-0, 1.25).buffer), 3);
  expect(readColumn("position", message.subarray(3), 1)).toEqual(Float64Array.of(-0, 1.25));
  expect(readColumn("radius", message.subarray(3), 4)).toBeInstanceOf(Float32Array);
  const ids = BigInt64Array.of(0n, 9007199254740991n, 4294967296n, 4294967295n);
  expect(Array.from(readIdentifiers(new Uint8Array(ids.buffer)))).toEqual([0, 2 ** 53 - 1, 2 ** 32, 2 ** 32 - 1]);
  expect(() => readIdentifiers(new Uint8Array(7))).toThrow(ProtocolError);
  expect(() => readIdentifiers([1.5])).toThrow(ProtocolError);
});

it("reads null as NaN, and nobody as nothing", () => {
  expect(readColumn("preferred_speed", [null, 1], 2)).toEqual(Float64Array.of(NaN, 1));
  expect(readColumn("goal", [null, [1, 2]], 2)).toEqual(Float64Array.of(NaN, NaN, 1, 2));
  expect(readColumn("goal", new Uint8Array(0), 0)).toHaveLength(0);
  expect(readColumn("status", [], 0)).toHaveLength(0);
});

it("spreads single values over the rows", () => {
  const columns = { position: [[0, 0], [1, 1]], velocity: [1, 0], radius: 0.5, goal: null };
  expect(encodeColumns(JSON_TEXT, columns)).toEqual({
    position: [[0, 0], [1, 1]],
    velocity: [[1, 0], [1, 0]],
    radius: [0.5, 0.5],
    goal: [null, null],
  });
  expect(encodeColumns(JSON_TEXT, { position: Float64Array.of(1, 2, 3, 4) })).toEqual({ position: [[1, 2], [3, 4]] });
});

it("says what does not travel", () => {
  expect(() => JSON_TEXT.encode({ x: Infinity })).toThrow(CannotEncode);
  expect(() => MESSAGE_PACK.encode({ x: Symbol("x") })).toThrow(CannotEncode);
  expect(() => MESSAGE_PACK.decode("{}")).toThrow(ProtocolError);
  expect(() => MESSAGE_PACK.decode(Uint8Array.of(0xc1))).toThrow(ProtocolError);
  expect(() => JSON_TEXT.decode("<h1>")).toThrow(ProtocolError);
});
