// Writes src/generated from the schemas of a running server: `npm run types [URL]`, by default http://127.0.0.1:8000.
// The schemas are those that the server checks bodies and messages with, so the types cannot say anything else.

import { writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";

const SOURCES = { rest: "/openapi.json", stream: "/asyncapi.json" };
const FOLDER = new URL("../src/generated/", import.meta.url);

/** The generated files of a server: name of the file to its text. */
export async function generate(url) {
  const files = {};
  for (const [name, path] of Object.entries(SOURCES)) {
    const answer = await fetch(new URL(path, url));
    if (!answer.ok) throw new Error(`GET ${answer.url} was answered with ${answer.status}`);
    const { components } = await answer.json();
    // both documents keep their schemas in the same place; routes and channels add nothing that the client uses
    const document = {
      openapi: "3.1.0",
      info: { title: name, version: "1" },
      paths: {},
      components: { schemas: components.schemas },
    };
    const tree = await openapiTS(document, { defaultNonNullable: false, exportType: true });
    files[`${name}.ts`] = `// Made by scripts/types.mjs from ${path} of the server; \`npm run types\` makes it anew.\n\n${astToString(tree)}`;
  }
  return files;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const [name, text] of Object.entries(await generate(process.argv[2] ?? "http://127.0.0.1:8000"))) {
    await writeFile(new URL(name, FOLDER), text);
  }
}
