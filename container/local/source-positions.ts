// Places in the bundled Worker, as an error's stack names them, led back to the files that were bundled.

import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, resolve, sep } from "node:path";

/** The bundle is somewhere below `bundles`. No other file is looked at: a text may name any. */
export const sourcePlaces = (text: string, bundles: string): string =>
  text.replaceAll(/file:\/\/(\/[^\s():]+\.js):(\d+):(\d+)/g, (place, path: string, line: string, column: string) => {
    const file = resolve(path);
    if (!file.startsWith(bundles + sep)) return place;
    const origin = sourceMap(file)?.findOrigin(Number(line), Number(column));
    if (origin === undefined || !("fileName" in origin)) return place;
    return `${resolve(dirname(file), origin.fileName)}:${origin.lineNumber}:${origin.columnNumber}`;
  });

const maps = new Map<string, SourceMap | null>();

function sourceMap(file: string): SourceMap | null {
  const known = maps.get(file);
  if (known !== undefined) return known;
  const map = readSourceMap(file);
  maps.set(file, map);
  return map;
}

function readSourceMap(file: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${file}.map`, "utf8")));
  } catch {
    // Not every module has one.
    return null;
  }
}
