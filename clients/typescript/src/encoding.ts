// The two encodings of the wire behind one interface: MessagePack (the default) and JSON. Both carry every binary64 to
// the bit, the sign of zero included. MessagePack sends columns as blocks and is several times smaller and faster.

import { Decoder, Encoder } from "@msgpack/msgpack";

import { bytesOf, columnLength, isTyped, layOut, packIdentifiers, packNumbers, spread } from "./columns.js";
import { CannotEncode, ProtocolError } from "./errors.js";

export type EncodingName = "msgpack" | "json";
/** What one WebSocket message or HTTP body is made of. */
export type Data = string | Uint8Array<ArrayBuffer>;

/** What bodies and messages are made of; `mediaType` for HTTP, `subprotocol` for WebSocket. */
export interface Encoding {
  readonly mediaType: string;
  readonly subprotocol: string;
  /** Encode a body made of plain values; throws `CannotEncode`. */
  encode(body: unknown): Data;
  /** Decode a body; throws `ProtocolError`. */
  decode(data: Data): unknown;
  /** Make a number column travel. */
  numberColumn(name: string, values: unknown): unknown;
  /** Make an id column travel. */
  identifierColumn(values: unknown): unknown;
}

// whole numbers are given as bigint and travel as integers, all other numbers, -0 among them, as float64: the
// encoder's own rule would take -0 for the integer 0
const encoder = new Encoder({ useBigInt64: true, forceIntegerToFloat: true });
// ids and counts are at most 2^53 - 1, which a number holds
const decoder = new Decoder({ useBigInt64: false });

export const MESSAGE_PACK: Encoding = {
  mediaType: "application/msgpack",
  subprotocol: "orca-crowd.v1.msgpack",
  encode(body) {
    try {
      return encoder.encode(withIntegers(body)) as Uint8Array<ArrayBuffer>;
    } catch (error) {
      throw new CannotEncode(`MessagePack does not carry this body: ${String(error)}`, { cause: error });
    }
  },
  decode(data) {
    if (typeof data === "string") {
      throw new ProtocolError("a text message came on a MessagePack stream, which has binary ones only");
    }
    try {
      return decoder.decode(data);
    } catch (error) {
      throw new ProtocolError(`what came is not MessagePack: ${String(error)}`, { cause: error });
    }
  },
  numberColumn(name, values) {
    const packed = packNumbers(name, values);
    return packed === undefined ? values : bytesOf(packed);
  },
  identifierColumn(values) {
    const packed = packIdentifiers(values);
    return packed === undefined ? values : bytesOf(packed);
  },
};

export const JSON_TEXT: Encoding = {
  mediaType: "application/json",
  subprotocol: "orca-crowd.v1.json",
  encode: toJson,
  decode(data) {
    try {
      return JSON.parse(typeof data === "string" ? data : new TextDecoder().decode(data)) as unknown;
    } catch (error) {
      throw new ProtocolError(`what came is not JSON: ${String(error)}`, { cause: error });
    }
  },
  numberColumn(name, values) {
    return isTyped(values) ? layOut(name, values) : values;
  },
  identifierColumn(values) {
    return isTyped(values) ? layOut("id", values) : values;
  },
};

const ENCODINGS: Readonly<Record<EncodingName, Encoding>> = { msgpack: MESSAGE_PACK, json: JSON_TEXT };

/** The encoding of that name; throws TypeError for another. */
export function encodingNamed(name: EncodingName): Encoding {
  const found = ENCODINGS[name] as Encoding | undefined;
  if (found === undefined) throw new TypeError(`encoding must be "msgpack" or "json", not ${String(name)}`);
  return found;
}

/** Make named columns travel; single values are spread over `count` rows, by default as many as the columns have. */
export function encodeColumns(
  encoding: Encoding,
  columns: Readonly<Record<string, unknown>>,
  count = columnLength(columns),
): Record<string, unknown> {
  const made: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(columns)) {
    if (value === undefined) continue;
    const column = spread(name, value, count);
    made[name] = name === "id" ? encoding.identifierColumn(column) : encoding.numberColumn(name, column);
  }
  return made;
}

/** Whether a member does not travel at all. */
function isLeftOut(value: unknown): boolean {
  return value === undefined || typeof value === "function";
}

/** The value as the encoder takes it: whole numbers as bigint, typed arrays but bins as arrays. */
function withIntegers(value: unknown): unknown {
  if (typeof value === "number") return Number.isSafeInteger(value) && !Object.is(value, -0) ? BigInt(value) : value;
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  if (isTyped(value)) return Array.from(value as ArrayLike<number>, withIntegers);
  if (Array.isArray(value)) return value.map(withIntegers);
  const entries = Object.entries(value).filter(([, inner]) => !isLeftOut(inner));
  return Object.fromEntries(entries.map(([name, inner]) => [name, withIntegers(inner)]));
}

/** JSON with the fewest digits that read back to the same bits; `JSON.stringify` would drop -0 and make NaN null. */
function toJson(value: unknown): string {
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new CannotEncode(`JSON carries no number that is not finite, such as ${value}`);
    return Object.is(value, -0) ? "-0.0" : String(value);
  }
  if (typeof value === "bigint") return value.toString();
  if (value === null || typeof value === "boolean" || typeof value === "string") return JSON.stringify(value);
  if (isTyped(value)) return `[${Array.from(value as ArrayLike<number>, toJson).join()}]`;
  if (Array.isArray(value)) return `[${value.map(toJson).join()}]`;
  if (typeof value === "object") {
    const entries = Object.entries(value).filter(([, inner]) => !isLeftOut(inner));
    return `{${entries.map(([name, inner]) => `${JSON.stringify(name)}:${toJson(inner)}`).join()}}`;
  }
  throw new CannotEncode(`JSON does not carry a ${typeof value}`);
}
