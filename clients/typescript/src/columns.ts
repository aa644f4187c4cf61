// Columns of agents: from what the caller has to what travels, and back.
//
// In MessagePack a number column is a bin of little-endian float64 (float32 where asked for), an id column a bin of
// int64, a vector column x0 y0 x1 y1 …; in JSON every column is an array. Here a number column that was read is a
// Float64Array or Float32Array, flat for vectors, and ids are whole numbers in a Float64Array, which holds every id up
// to 2^53 - 1. Typed arrays are little-endian wherever JavaScript runs today, so bins are taken as they are.
//
// What is not plainly a column of numbers (a boolean, a string, a row of three) is not coerced but sent as it is, so
// that the server refuses it with item and field: one judge of input, not two.

import { ProtocolError } from "./errors.js";

/** A number column; flat, so a vector column of n agents has 2 n numbers. */
export type Numbers = Float64Array | Float32Array;
/** Ids: whole numbers from 0 to 2^53 - 1. */
export type Identifiers = Float64Array;
/** Any column that was read. */
export type Column = Numbers | (string | boolean)[];
/** Numbers as a caller may have them. */
export type NumberArray = Numbers | Int32Array | Uint32Array | BigInt64Array | readonly number[];
/** Ids as a caller may have them. */
export type IdentifierArray = NumberArray;

/** How many numbers one agent has in a column; a field that is not here has one. */
const VECTORS: ReadonlySet<string> = new Set(["position", "velocity", "preferred_velocity", "goal", "heading"]);

/** Numbers an agent takes in the column of that name. */
export function widthOf(name: string): number {
  return VECTORS.has(name) ? 2 : 1;
}

/** Whether the value is a typed array of numbers. */
export function isTyped(value: unknown): value is Exclude<NumberArray, readonly number[]> {
  return ArrayBuffer.isView(value) && !(value instanceof DataView) && !(value instanceof Uint8Array);
}

/** Whether `value` stands for one agent (a number, null, one pair of a vector field) rather than for a column. */
export function isSingle(name: string, value: unknown): boolean {
  if (isTyped(value)) return false;
  if (!Array.isArray(value)) return true;
  // a vector field holds pairs, so two bare numbers are one pair and not two rows
  return widthOf(name) === 2 && value.length === 2 && value.every((part) => typeof part === "number");
}

/** Rows of a column that is not a single value. */
export function rowsOf(name: string, value: unknown): number {
  const length = (value as ArrayLike<unknown>).length;
  // half a pair is a row too, for the server to refuse
  return isTyped(value) ? Math.ceil(length / widthOf(name)) : length;
}

/** Rows that columns have: those of the first real column, 1 where each value is a single one, 0 without any. */
export function columnLength(columns: Readonly<Record<string, unknown>>): number {
  const names = Object.keys(columns);
  const real = names.find((name) => !isSingle(name, columns[name]));
  if (real === undefined) return names.length ? 1 : 0;
  return rowsOf(real, columns[real]);
}

/** The column of `count` rows in which every row is `value`, if `value` is a single one; else the column. */
export function spread(name: string, value: unknown, count: number): unknown {
  return isSingle(name, value) ? new Array<unknown>(count).fill(value) : value;
}

/** A number column as float64 in a flat array, or undefined where it is not plainly one. */
export function packNumbers(name: string, values: unknown): Float64Array | undefined {
  if (values instanceof Float64Array) return values;
  if (values instanceof BigInt64Array) return Float64Array.from(values, Number);
  if (isTyped(values)) return Float64Array.from(values as ArrayLike<number>);
  if (!Array.isArray(values)) return undefined;
  if (widthOf(name) === 1) {
    return values.every((value) => typeof value === "number") ? Float64Array.from(values as number[]) : undefined;
  }
  const packed = new Float64Array(values.length * 2);
  for (let row = 0; row < values.length; row += 1) {
    const pair: unknown = values[row];
    if (!(Array.isArray(pair) || isTyped(pair)) || pair.length !== 2) return undefined;
    const [x, y] = pair as unknown[];
    if (typeof x !== "number" || typeof y !== "number") return undefined;
    packed[2 * row] = x;
    packed[2 * row + 1] = y;
  }
  return packed;
}

/** Ids as little-endian int64, or undefined where they are not plainly whole numbers of that size. */
export function packIdentifiers(values: unknown): BigInt64Array | undefined {
  if (values instanceof BigInt64Array) return values;
  if (!Array.isArray(values) && !isTyped(values)) return undefined;
  const packed = new BigInt64Array(values.length);
  for (let row = 0; row < values.length; row += 1) {
    const id: unknown = values[row];
    if (!Number.isSafeInteger(id)) return undefined;
    packed[row] = BigInt(id as number);
  }
  return packed;
}

/** The bytes of a typed array, not copied. */
export function bytesOf(array: ArrayBufferView): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/** A column laid out as the array that JSON has: numbers, or pairs for a vector column. */
export function layOut(name: string, values: NumberArray): unknown[] {
  const flat = Array.from(values as ArrayLike<number | bigint>, Number);
  if (widthOf(name) === 1) return flat;
  return Array.from({ length: flat.length / 2 }, (_, row) => [flat[2 * row], flat[2 * row + 1]]);
}

/** Ids that came as a bin of int64 or as an array. */
export function readIdentifiers(value: unknown): Identifiers {
  if (value instanceof Uint8Array) {
    if (value.byteLength % 8) throw new ProtocolError(`${value.byteLength} bytes are not a whole number of int64`);
    // two halves of 32 bits each: a tenth of the time that going through bigint takes
    const halves = new Int32Array(aligned(value));
    const ids = new Float64Array(halves.length / 2);
    for (let row = 0; row < ids.length; row += 1) {
      ids[row] = (halves[2 * row + 1] as number) * 4294967296 + ((halves[2 * row] as number) >>> 0);
    }
    return ids;
  }
  if (!Array.isArray(value) || !value.every((id) => Number.isSafeInteger(id))) {
    throw new ProtocolError("ids are neither an array of whole numbers nor a bin");
  }
  return Float64Array.from(value as number[]);
}

/** A column of `count` agents as it came: numbers flat, strings as they are; null in an array reads as NaN. */
export function readColumn(name: string, value: unknown, count: number): Column {
  const column = value instanceof Uint8Array ? readBin(name, value, count) : readList(name, value);
  const rows = Array.isArray(column) ? column.length : column.length / widthOf(name);
  if (rows !== count) throw new ProtocolError(`column ${name} has ${rows} rows for ${count} agents`);
  return column;
}

/** A column of whole numbers, int16 or int8 in a bin, as `count` rows in a flat array. */
export function readWhole(name: string, value: unknown, count: number): Int16Array | Int8Array {
  if (!(value instanceof Uint8Array)) return Int16Array.from(readList(name, value) as Float64Array);
  const size = count === 0 ? 1 : value.byteLength / (count * widthOf(name));
  if (size === 1) return new Int8Array(aligned(value));
  if (size === 2) return new Int16Array(aligned(value));
  throw new ProtocolError(`column ${name} has ${value.byteLength} bytes, which is no int8 or int16 for ${count} agents`);
}

function readBin(name: string, value: Uint8Array, count: number): Numbers {
  if (count === 0 && value.byteLength === 0) return new Float64Array(0);
  const size = value.byteLength / (count * widthOf(name));
  if (size === 8) return new Float64Array(aligned(value));
  if (size === 4) return new Float32Array(aligned(value));
  throw new ProtocolError(`column ${name} has ${value.byteLength} bytes, which is no float of ${count} agents`);
}

function readList(name: string, value: unknown): Column {
  if (!Array.isArray(value)) throw new ProtocolError(`column ${name} is neither an array nor a bin`);
  const width = widthOf(name);
  if (width === 1) {
    // words, and true and false, stay as they are
    if (value.some((row) => typeof row === "string")) return value as string[];
    if (value.some((row) => typeof row === "boolean")) return value as boolean[];
    return Float64Array.from(value, (row) => (row === null ? NaN : (row as number)));
  }
  const column = new Float64Array(value.length * width);
  value.forEach((row: unknown, index) => {
    const pair: unknown[] = row === null ? [null, null] : Array.isArray(row) ? row : [];
    if (pair.length !== width) throw new ProtocolError(`column ${name} has a row that is no pair`);
    pair.forEach((part, place) => {
      column[width * index + place] = part === null ? NaN : (part as number);
    });
  });
  return column;
}

/** The bytes in a buffer of their own: a bin stands anywhere in its message, a typed array only at multiples. */
function aligned(bytes: Uint8Array): ArrayBuffer {
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
}
