// Licences of what is bundled stand beside the page, as they ask for.
import { readFileSync } from "node:fs";
import type { Plugin } from "vite";

/** Writes notices.txt with the licence of every package of node_modules that is in the bundle. */
export function notices(): Plugin {
  return {
    name: "notices",
    generateBundle(_options, bundle) {
      const packages = new Map<string, string>();
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== "chunk") continue;
        for (const module of chunk.moduleIds) {
          const found = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//.exec(module);
          if (found !== null) packages.set(found[2]!, found[1]!);
        }
      }
      const parts = [...packages].sort().map(([name, folder]) => {
        const { version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8")) as Record<string, string>;
        return `${name} ${version} (${license})\n\n${readFileSync(`${folder}/LICENSE`, "utf8").trim()}\n`;
      });
      this.emitFile({ type: "asset", fileName: "notices.txt", source: parts.join(`\n${"-".repeat(72)}\n\n`) });
    },
  };
}
