// The document of the stream that the server serves: valid AsyncAPI 3, and true of every exchange.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { beforeAll, describe, expect, inject, it } from "vitest";

type Json = Record<string, unknown>;
interface Document {
  asyncapi: string;
  channels: Record<string, { messages: Record<string, unknown> }>;
  components: { messages: Record<string, { payload: { $ref: string } }>; schemas: Json };
}
interface Entry {
  name: string;
  subprotocol: string;
  refused?: Json;
  message: Json;
}

const FOLDER = resolve(import.meta.dirname, "../../conformance");
const read = async (name: string) => JSON.parse(await readFile(`${FOLDER}/${name}`, "utf8")) as Entry[];
// in JSON, since a schema knows no bins; the meaning of the others is the same
const inJson = (entries: Entry[]) => entries.filter(({ subprotocol }) => subprotocol.endsWith("json"));
const TO_SERVER = inJson(await read("to-server.json"));
const FROM_SERVER = inJson(await read("from-server.json"));

let document: Document;
let check: (message: Json) => string[];

beforeAll(async () => {
  document = (await (await fetch(`${inject("url")}/asyncapi.json`)).json()) as Document;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addSchema({ $id: "document", components: { schemas: document.components.schemas } });
  check = (message) => {
    const payload = document.components.messages[message["type"] as string]?.payload.$ref;
    if (payload === undefined) return [`no message of type ${String(message["type"])}`];
    const validate = ajv.getSchema(`document${payload}`);
    if (validate === undefined) return [`no schema ${payload}`];
    return validate(message) ? [] : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
  };
});

it("is valid AsyncAPI 3", async () => {
  const path = createRequire(import.meta.url).resolve("@asyncapi/specs/schemas/3.0.0.json");
  const ajv = new Ajv({ strict: false, meta: false, validateSchema: false });
  // the schema brings its own copy of the schema of schemas
  formats.default(ajv);
  const validate = ajv.compile(JSON.parse(await readFile(path, "utf8")) as Json);
  expect(validate(document), JSON.stringify(validate.errors?.slice(0, 3), null, 1)).toBe(true);
  // so that the check is one: a document without its channels' address would not pass
  expect(validate({ ...document, info: {} })).toBe(false);
  expect(validate({ ...document, channels: { stream: { address: 1 } } })).toBe(false);
});

it("has every reference", () => {
  const references = new Set(Array.from(JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g), ([, path]) => path as string));
  expect(references.size).toBeGreaterThan(20);
  for (const path of references) {
    let found: unknown = document;
    for (const part of path.split("/")) found = (found as Json | undefined)?.[part];
    expect(found, path).toBeDefined();
  }
});

describe("every exchange is as it says", () => {
  it.each(TO_SERVER.filter(({ refused }) => !refused).map((entry) => [entry.name, entry] as const))("%s", (_, { message }) => {
    expect(check(message)).toEqual([]);
  });
  it.each(FROM_SERVER.map((entry) => [entry.name, entry] as const))("%s", (_, { message }) => {
    expect(check(message)).toEqual([]);
  });
  it.each(TO_SERVER.filter(({ refused }) => refused).map((entry) => [entry.name, entry] as const))("%s", (_, { message }) => {
    expect(check(message)).not.toEqual([]);
  });
});
