// Positions in the bundled Worker, as the stack of an error names them, turned into those of the files that were bundled.

import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { MAIN_MODULE } from "./worker-bundle.ts";

export class SourcePositions {
  readonly #directory: string;
  readonly #position: RegExp;
  #map: SourceMap | null | undefined;

  /** `directory` is that of the bundle. No other map is ever read, whatever file a text names. */
  constructor(directory: string) {
    this.#directory = directory;
    const { href } = pathToFileURL(join(directory, MAIN_MODULE));
    this.#position = new RegExp(`${href.replace(/[^\w/]/g, "\\$&")}:(\\d+):(\\d+)`, "g");
  }

  mapStack(text: string): string {
    return text.replaceAll(this.#position, (position, line: string, column: string) => {
      const origin = this.#readMap()?.findOrigin(Number(line), Number(column));
      if (origin === undefined || !("fileName" in origin)) return position;
      return `${resolve(this.#directory, origin.fileName)}:${origin.lineNumber}:${origin.columnNumber}`;
    });
  }

  /** On the first error, since most servers log none. Null when it cannot be read. */
  #readMap(): SourceMap | null {
    if (this.#map !== undefined) return this.#map;
    try {
      this.#map = new SourceMap(JSON.parse(readFileSync(join(this.#directory, `${MAIN_MODULE}.map`), "utf8")));
    } catch {
      this.#map = null;
    }
    return this.#map;
  }
}
