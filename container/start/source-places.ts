// Places in the bundled Worker, as an error's stack names them, led back to the files that were bundled.

import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, resolve } from "node:path";

export const sourcePlaces = (text: string): string =>
  text.replaceAll(/file:\/\/(\/[^\s():]+\.js):(\d+):(\d+)/g, (place, file: string, line: string, column: string) => {
    const origin = sourceMap(file)?.findOrigin(Number(line), Number(column));
    if (origin === undefined || !("fileName" in origin)) return place;
    return `${resolve(dirname(file), origin.fileName)}:${origin.lineNumber}:${origin.columnNumber}`;
  });

const maps = new Map<string, SourceMap | null>();

function sourceMap(file: string): SourceMap | null {
  const map = maps.get(file) ?? readSourceMap(file);
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
