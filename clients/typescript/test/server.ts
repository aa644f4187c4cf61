// A server as a user starts it, once for all tests: the command in a process of its own, on a free port, ended by
// SIGTERM. With ORCA_CROWD_URL set, the server there is used and left alone.

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { once } from "node:events";
import { delimiter, join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    url: string;
  }
}

const ROOT = resolve(import.meta.dirname, "../../..");
const START_SECONDS = 90;

function pythonCommand(): string {
  const made = join(ROOT, ".venv/bin/python");
  return process.env["PYTHON"] ?? (existsSync(made) ? made : "python3");
}

async function readyUrl(server: ChildProcess, said: () => string): Promise<string> {
  const deadline = Date.now() + START_SECONDS * 1000;
  while (Date.now() < deadline) {
    if (server.exitCode !== null) throw new Error(`the server has ended with ${server.exitCode}: ${said()}`);
    const url = /http:\/\/\S+:\d+/.exec(said())?.[0];
    const answer = url === undefined ? undefined : await fetch(`${url}/readyz`).catch(() => undefined);
    if (url !== undefined && answer?.ok) return url;
    await pause(50);
  }
  throw new Error(`no server within ${START_SECONDS} s: ${said()}`);
}

export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const given = process.env["ORCA_CROWD_URL"];
  if (given) {
    project.provide("url", given);
    return undefined;
  }
  const env = {
    // compiled kernels are kept between runs
    ORCA_CROWD_KERNEL_CACHE: join(ROOT, ".make/kernel-cache"),
    ...process.env,
    PYTHONPATH: [ROOT, join(ROOT, "service")].join(delimiter),
  };
  const server = spawn(pythonCommand(), ["-m", "orca_crowd", "serve", "--port", "0"], { env, cwd: ROOT });
  const ended = once(server, "exit");
  let log = "";
  for (const output of [server.stdout, server.stderr]) output.on("data", (text) => (log += String(text)));
  try {
    project.provide("url", await readyUrl(server, () => log));
  } catch (error) {
    server.kill("SIGKILL");
    throw error;
  }
  return async () => {
    server.kill("SIGTERM");
    const [code] = (await ended) as [number | null];
    if (code !== 0) throw new Error(`the server ended with ${code}: ${log}`);
  };
}
