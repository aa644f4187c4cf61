// Writes src/generated from the server's schemas: `npm run types` asks the sources beside it, `npm run types URL` a
// running server; a folder behind that is written to in the place of src/generated.
//
// The schemas are those by which the server checks bodies and messages, so the types cannot say anything else.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import openapiTS, { astToString } from "openapi-typescript";

const HERE = import.meta.dirname;
const ROOT = resolve(HERE, "../../..");
const PATHS = { rest: "/openapi.json", stream: "/asyncapi.json" };
const [url, folder = resolve(HERE, "../src/generated")] = process.argv.slice(2);

/** Both documents of the sources. */
function documentsOfSources() {
  const made = join(ROOT, ".venv/bin/python");
  const python = process.env.PYTHON ?? (existsSync(made) ? made : "python3");
  const env = { ...process.env, PYTHONPATH: [ROOT, join(ROOT, "service")].join(delimiter) };
  return JSON.parse(execFileSync(python, [join(HERE, "schemas.py")], { env, maxBuffer: 2 ** 26 }));
}

/** One document of a running server. */
async function ask(path) {
  const answer = await fetch(new URL(path, url));
  if (!answer.ok) throw new Error(`GET ${answer.url} was answered with ${answer.status}`);
  return answer.json();
}

const documents = url ? undefined : documentsOfSources();
for (const [name, path] of Object.entries(PATHS)) {
  const { components } = documents ? documents[name] : await ask(path);
  // both documents keep their schemas in the same place; routes and channels add nothing that the client uses
  const schemas = { openapi: "3.1.0", info: { title: name, version: "1" }, paths: {}, components: { schemas: components.schemas } };
  const text = astToString(await openapiTS(schemas, { defaultNonNullable: false, exportType: true }));
  const head = `// Made by scripts/types.mjs from ${path} of the server; \`npm run types\` makes it anew.\n\n`;
  await writeFile(join(folder, `${name}.ts`), head + text);
}
