// TypeScript to JavaScript by removing the types (sucrase). Lines keep their numbers; columns are found through its source
// map.

import { TraceMap } from "@jridgewell/trace-mapping";
import { transform } from "sucrase";
import type { Position } from "./position.ts";
import { originalPosition } from "./source-map.ts";

export interface Stripped {
  text: string;
  /** From a place in `text` to the place in the TypeScript text. */
  original: (position: Position) => Position;
}

/** Throws an error with `loc` when the text is not TypeScript either. */
export function stripTypes(text: string): Stripped {
  const { code, sourceMap } = transform(text, {
    transforms: ["typescript"],
    disableESTransforms: true,
    keepUnusedImports: true,
    filePath: "code.ts",
    sourceMapOptions: { compiledFilename: "code.js" },
  });
  if (sourceMap === undefined) return { text: code, original: (position) => position };
  const map = new TraceMap({ ...sourceMap, version: 3 });
  return {
    text: code,
    original: (position) => originalPosition(map, position, Number.POSITIVE_INFINITY) ?? position,
  };
}
