// Formats why a search found nothing, and what would find something.

import { limits } from "../../src/contract/limits.ts";
import type { SearchEmpty, SearchRequest } from "../../src/contract/search.ts";
import { formatBytes } from "../../src/format/format-bytes.ts";
import { formatCount, formatNumber } from "../../src/format/format-count.ts";

export function formatEmpty(request: SearchRequest, empty: SearchEmpty): string[] {
  const sentences = [
    ...formatSearched(request, empty),
    ...formatExcluded(request, empty),
    ...formatAlternatives(empty),
  ];
  if (request.mode === "names" && !/[*?[{]/.test(request.pattern))
    sentences.push(`A glob matches whole names: "*${request.pattern}*" finds names that contain it.`);
  if (Object.values(empty).includes(null) && empty.searched === null)
    sentences.push("There was no time to count what was excluded.");
  return sentences;
}

function formatSearched(request: SearchRequest, { searched, unrestricted }: SearchEmpty): string[] {
  const where = request.path === "." ? "/workspace" : `"${request.path}"`;
  if (searched === null) return [];
  if (unrestricted !== null && unrestricted > 0) {
    const by = request.mode === "names" ? "pattern" : request.globs.length > 0 ? "glob" : "type";
    const andType = request.type !== null && by !== "type" ? " and the type" : "";
    return [`None of the ${formatCount(unrestricted, "file")} in ${where} matches the ${by}${andType}.`];
  }
  if (searched === 0) {
    const isRestricted = request.mode === "names" || request.globs.length > 0 || request.type !== null;
    // Null means that there was no time to count the files without the restrictions.
    return isRestricted && unrestricted === null ? [] : [`There is no file to search in ${where}.`];
  }
  return [`${formatCount(searched, "file")} in ${where} ${searched === 1 ? "was" : "were"} searched.`];
}

function formatExcluded(request: SearchRequest, empty: SearchEmpty): string[] {
  const { ignored, ignored_matching, hidden, hidden_matching, too_large } = empty;
  const groups = [
    {
      count: ignored,
      matching: ignored_matching,
      why: "ignored by .gitignore or the like",
      remedy: "Pass no_ignore: true.",
    },
    { count: hidden, matching: hidden_matching, why: "hidden", remedy: "Pass hidden: true." },
    {
      count: too_large,
      matching: null,
      why: `larger than ${formatBytes(limits.searchMultilineFileMaxBytes)}, too large for a match over several lines`,
      remedy: "Name one as path to search it.",
    },
  ];
  return groups.flatMap(({ count, matching, why, remedy }) => {
    if (count === null || count === 0) return [];
    const matches =
      matching === null ? "" : `, of which ${matching === 0 ? "none" : formatNumber(matching)} would match`;
    const advice = matching === 0 && request.mode !== "names" ? "" : ` ${remedy}`;
    return [`${formatCount(count, "file was", "files were")} excluded: ${why}${matches}.${advice}`];
  });
}

function formatAlternatives({ binary_matching, ignore_case_matching, literal_matching }: SearchEmpty): string[] {
  const alternatives: [count: number | null, unit: string, rest: string][] = [
    [binary_matching, "binary file", "would match. Name one as path to search it."],
    [ignore_case_matching, "file", "would match with ignore_case: true."],
    [literal_matching, "file", "would match with literal: true."],
  ];
  return alternatives.flatMap(([count, unit, rest]) =>
    count === null || count === 0 ? [] : [`${formatCount(count, unit)} ${rest}`],
  );
}
