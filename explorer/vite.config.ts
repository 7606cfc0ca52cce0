import { defineConfig } from "vite";

import { Licenses } from "./licenses.ts";

const licenses = new Licenses("third-party-licenses.txt");

export default defineConfig({
  base: "./", // the page works below any prefix
  plugins: [licenses.write()],
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
