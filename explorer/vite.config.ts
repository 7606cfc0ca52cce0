import { defineConfig, type Plugin } from "vite";

import { Licenses } from "./licenses.ts";

const licenses = new Licenses("third-party-licenses.txt");

const COMPLAINT = "console.error('arg mismatch between arg and selection', argType, argValue);";

/** The explorer cannot edit a list of enum values. It leaves the list alone, and need not call it an error. */
const quietExplorer: Plugin = {
  name: "quiet-explorer",
  transform(code, id) {
    if (!id.endsWith("/graphiql-explorer/dist/Explorer.js")) return undefined;
    if (!code.includes(COMPLAINT)) throw new Error("graphiql-explorer has changed; is this still needed?");
    return code.replaceAll(COMPLAINT, "");
  },
};

export default defineConfig({
  base: "./", // the page works below any prefix
  plugins: [quietExplorer, licenses.write()],
  worker: { format: "es", plugins: () => [licenses.collect()] },
  build: {
    outDir: "../graph/explorer/static",
    emptyOutDir: true,
    assetsDir: "explorer", // also the path below which the server serves them
    assetsInlineLimit: 0, // the Content-Security-Policy allows no data: URLs but images
    chunkSizeWarningLimit: 4096, // the editor is what it is
    target: "es2022",
    rolldownOptions: { checks: { moduleLevelDirective: false } }, // "use client" means nothing here
  },
});
