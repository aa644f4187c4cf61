import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, inject, it } from "vitest";

const PACKAGE = resolve(import.meta.dirname, "..");

it.each(["rest.ts", "stream.ts"])("the types in %s are those of the server's schemas", async (name) => {
  const folder = await mkdtemp(join(tmpdir(), "orca-crowd-types-"));
  try {
    await promisify(execFile)(process.execPath, [join(PACKAGE, "scripts/types.mjs"), inject("url"), folder]);
    const [committed, fresh] = await Promise.all([
      readFile(join(PACKAGE, "src/generated", name), "utf8"),
      readFile(join(folder, name), "utf8"),
    ]);
    // told as a whole, since a difference of a thousand lines says less
    expect(committed === fresh, `${name} is stale: npm run types`).toBe(true);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
