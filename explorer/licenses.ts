import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import type { Plugin } from "vite";

interface Package {
  name?: string;
  version?: string;
  license?: string;
  author?: string | { name: string };
}

const TEXTS = /^(licen[sc]e|copying|notice|thirdpartynotices)/i;

/** The licence texts of every package of which code is bundled, in the page as in its workers, in one file. */
export class Licenses {
  readonly #file: string;
  readonly #folders = new Set<string>();

  constructor(file: string) {
    this.#file = file;
  }

  /** Remembers the packages of a bundle. */
  collect(): Plugin {
    return { name: "licenses:collect", generateBundle: (_options, bundle) => this.#remember(Object.values(bundle)) };
  }

  /** Remembers the packages of the last bundle, and writes the file. Workers are bundled before the page is. */
  write(): Plugin {
    const licenses = this;
    return {
      name: "licenses:write",
      generateBundle(_options, bundle) {
        licenses.#remember(Object.values(bundle));
        this.emitFile({ type: "asset", fileName: licenses.#file, source: licenses.#text() });
      },
    };
  }

  #remember(outputs: Iterable<{ type: string; moduleIds?: string[] }>): void {
    for (const { moduleIds = [] } of outputs) {
      for (const id of moduleIds) {
        const folder = packageFolder(id);
        if (folder !== undefined) this.#folders.add(folder);
      }
    }
  }

  #text(): string {
    const sections = new Map([...this.#folders].map(section));
    const sorted = [...sections].sort(([one], [other]) => (one < other ? -1 : 1));
    return ["The explorer contains code of these packages.\n", ...sorted.map(([, text]) => text)].join("\n");
  }
}

/** The folder of the package that a module belongs to; undefined for our own modules. */
function packageFolder(id: string): string | undefined {
  const path = id.replace(/^\0/, "").replace(/\?.*$/, "");
  if (!path.includes("/node_modules/")) return undefined;
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = join(folder, "package.json");
    if (existsSync(manifest) && read(manifest).name !== undefined) return folder;
  }
  return undefined;
}

function section(folder: string): [string, string] {
  const { name, version, license, author } = read(join(folder, "package.json"));
  const title = `${name} ${version} (${license})`;
  const texts = readdirSync(folder)
    .filter((file) => TEXTS.test(file))
    .map((file) => readFileSync(join(folder, file), "utf8").trim());
  if (texts.length === 0) texts.push(standard(title, license, typeof author === "string" ? author : author?.name));
  return [title, `${"=".repeat(80)}\n${title}\n${"=".repeat(80)}\n\n${texts.join("\n\n")}\n`];
}

/** The text for a package that names its licence and forgot to include it. */
function standard(title: string, license: string | undefined, author: string | undefined): string {
  if (license !== "MIT") throw new Error(`${title} comes without the text of its licence`);
  const text = readFileSync(new URL("mit.txt", import.meta.url), "utf8").trim();
  return `Copyright (c) ${author ?? "its authors"}\n\n${text}`;
}

function read(manifest: string): Package {
  return JSON.parse(readFileSync(manifest, "utf8"));
}
