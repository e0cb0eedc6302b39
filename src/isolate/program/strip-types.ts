// TypeScript to JavaScript by removal (sucrase): lines stay where they are; columns are found again through its map.

import { transform } from "sucrase";
import type { Position } from "./position.ts";

export interface Stripped {
  text: string;
  original: (position: Position) => Position;
}

/** Throws an error with `loc` where the text is not TypeScript either. */
export function stripTypes(text: string): Stripped {
  const { code, sourceMap } = transform(text, {
    transforms: ["typescript"],
    disableESTransforms: true,
    keepUnusedImports: true,
    filePath: "code.ts",
    sourceMapOptions: { compiledFilename: "code.js" },
  });
  const lines = decodeMappings(sourceMap?.mappings ?? "");
  return {
    text: code,
    original: ({ line, column }) => ({ line, column: originalColumn(lines[line - 1] ?? [], column) }),
  };
}

function originalColumn(segments: Segment[], column: number): number {
  const segment = segments.findLast(({ now }) => now <= column - 1);
  return segment === undefined ? column : segment.before + (column - 1 - segment.now) + 1;
}

interface Segment {
  now: number;
  before: number;
}

/** The columns of a version 3 source map; its lines are known to be the same. */
function decodeMappings(mappings: string): Segment[][] {
  let before = 0;
  return mappings.split(";").map((line) => {
    let now = 0;
    if (line === "") return [];
    return line.split(",").map((segment) => {
      const fields = decodeVlq(segment);
      now += fields[0] ?? 0;
      before += fields[3] ?? 0;
      return { now, before };
    });
  });
}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

function decodeVlq(text: string): number[] {
  const values: number[] = [];
  let value = 0;
  let shift = 0;
  for (const char of text) {
    const digit = digits.indexOf(char);
    value |= (digit & 31) << shift;
    shift += 5;
    if ((digit & 32) !== 0) continue;
    values.push((value & 1) === 0 ? value >> 1 : -(value >> 1));
    value = 0;
    shift = 0;
  }
  return values;
}
