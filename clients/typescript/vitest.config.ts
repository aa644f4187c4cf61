import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/server.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // two cores, and one of them serves
    maxWorkers: 2,
    minWorkers: 1,
  },
});
