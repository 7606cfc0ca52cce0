import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import type { Plugin } from "vite";

interface Manifest {
  name?: string;
  version?: string;
  license?: string;
  author?: string | { name: string };
  repository?: string | { url: string };
}

interface Package {
  title: string;
  license: string | undefined;
  author: string;
  repository: string | undefined;
  texts: string[];
}

const TEXTS = /^(licen[sc]e|copying|notice|thirdpartynotices)/i;
const RULE = "=".repeat(80);

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
    const packages = [...this.#folders].map(describe);
    const sections = packages.map((one) => `${RULE}\n${one.title}\n${RULE}\n\n${textsOf(one, packages).join("\n\n")}\n`);
    return ["The explorer contains code of these packages.\n", ...new Set(sections.sort())].join("\n");
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

function describe(folder: string): Package {
  const { name, version, license, author, repository } = read(join(folder, "package.json"));
  return {
    title: `${name} ${version} (${license})`,
    license,
    author: (typeof author === "string" ? author : author?.name) ?? "its authors",
    repository: typeof repository === "string" ? repository : repository?.url,
    texts: readdirSync(folder)
      .filter((file) => TEXTS.test(file))
      .map((file) => readFileSync(join(folder, file), "utf8").trim()),
  };
}

/** The texts of a package; where it forgot them, those of a package from the same repository, or the standard text. */
function textsOf({ title, license, author, repository, texts }: Package, all: Package[]): string[] {
  if (texts.length > 0) return texts;
  const sibling = all.find((other) => other.repository === repository && other.texts.length > 0);
  if (repository !== undefined && sibling !== undefined && sibling.license === license) return sibling.texts;
  if (license !== "MIT") throw new Error(`${title} comes without the text of its licence`);
  return [`Copyright (c) ${author}\n\n${readFileSync(new URL("mit.txt", import.meta.url), "utf8").trim()}`];
}

function read(manifest: string): Manifest {
  return JSON.parse(readFileSync(manifest, "utf8"));
}
