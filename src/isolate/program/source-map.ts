// Finds the place in the original text for a place in an edited text, through a source map.

import { decodedMappings, type TraceMap, traceSegment } from "@jridgewell/trace-mapping";
import type { Position } from "./position.ts";

/**
 * A place keeps its distance from the start of its segment, up to `segmentChars`: the map has a segment for each token, or
 * for each character. A place in inserted text that no segment precedes leads to the text that follows. Null when none
 * follows.
 */
export function originalPosition(map: TraceMap, { line, column }: Position, segmentChars: number): Position | null {
  const following = () =>
    decodedMappings(map)
      .slice(line - 1)
      .find((segments) => segments.length > 0)?.[0];
  const segment = traceSegment(map, line - 1, column - 1) ?? following();
  if (segment === undefined || segment.length === 1) return null;
  const [start, , originalLine, originalColumn] = segment;
  const distance = Math.min(Math.max(0, column - 1 - start), segmentChars);
  return { line: originalLine + 1, column: originalColumn + distance + 1 };
}
