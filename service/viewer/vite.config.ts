// Builds the page into the Python package that serves it. Names carry no digest of their content, since the server
// answers `no-cache` with every file, and a clone must show the same files after the same build.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { notices } from "./notices.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: here("."),
  base: "./",
  plugins: [notices()],
  resolve: {
    alias: { "@orca-crowd/client": here("../../clients/typescript/src/index.ts") },
    // what the client needs is taken from this folder, so that one `npm ci` is enough
    dedupe: ["@msgpack/msgpack"],
  },
  build: {
    outDir: here("../orca_crowd/viewer"),
    // the maps of the demos stand beside the page
    emptyOutDir: false,
    target: "es2022",
    modulePreload: false,
    assetsInlineLimit: 0,
    rollupOptions: {
      output: {
        entryFileNames: "app.js",
        chunkFileNames: "[name].js",
        assetFileNames: (asset) => (asset.names[0]?.endsWith(".css") ? "style.css" : "[name][extname]"),
      },
    },
  },
  server: { proxy: { "/v1": { target: "http://127.0.0.1:8000", ws: true }, "/metrics": "http://127.0.0.1:8000" } },
  test: { include: ["test/**/*.test.ts"], environment: "node" },
});
