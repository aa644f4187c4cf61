import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, inject, it } from "vitest";

const PACKAGE = resolve(import.meta.dirname, "..");

it("has the types of the server's schemas", async () => {
  const folder = await mkdtemp(join(tmpdir(), "orca-crowd-types-"));
  try {
    await promisify(execFile)(process.execPath, [join(PACKAGE, "scripts/types.mjs"), inject("url"), folder]);
    const text = (...path: string[]) => readFile(join(...path), "utf8");
    for (const name of ["rest.ts", "stream.ts"]) {
      // told as a whole, since a difference of a thousand lines says less
      const same = (await text(folder, name)) === (await text(PACKAGE, "src/generated", name));
      expect(same, `${name} is stale: npm run types`).toBe(true);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
