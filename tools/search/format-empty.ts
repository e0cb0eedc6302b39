// Says why a search found nothing, and what would find something.

import { limits } from "../../src/contract/limits.ts";
import type { SearchEmpty, SearchRequest } from "../../src/contract/search.ts";
import { formatBytes } from "../../src/format/format-bytes.ts";
import { formatCount } from "../../src/format/format-count.ts";

export function emptyWords(request: SearchRequest, empty: SearchEmpty): string[] {
  const words = [searchedWords(request, empty), ...leftOutWords(request, empty), ...wouldMatchWords(empty)];
  if (request.mode === "names" && !/[*?[{]/.test(request.pattern))
    words.push(`A glob matches whole names: "*${request.pattern}*" finds names that contain it.`);
  if (Object.values(empty).includes(null) && empty.searched === null)
    words.push("What was left out could not be counted in time.");
  return words.filter((sentence) => sentence !== "");
}

function searchedWords(request: SearchRequest, { searched, unrestricted }: SearchEmpty): string {
  const where = request.path === "." ? "/workspace" : `"${request.path}"`;
  if (searched === null) return "";
  if (unrestricted !== null && unrestricted > 0) {
    const by = request.mode === "names" ? "pattern" : request.globs.length > 0 ? "glob" : "type";
    return `None of the ${formatCount(unrestricted, "file")} in ${where} fits the ${by}${request.type !== null && by !== "type" ? " and the type" : ""}.`;
  }
  if (searched === 0) return `There is no file to search in ${where}.`;
  return `${formatCount(searched, "file")} in ${where} ${searched === 1 ? "was" : "were"} searched.`;
}

function leftOutWords(request: SearchRequest, empty: SearchEmpty): string[] {
  const words: string[] = [];
  const say = (count: number | null, matching: number | null, why: string, remedy: string) => {
    if (count === null || count === 0) return;
    const match =
      matching === null ? "" : matching === 0 ? ", of which none matches" : `, of which ${matching} would match`;
    const way = matching === 0 && request.mode !== "names" ? "" : ` ${remedy}`;
    words.push(`${formatCount(count, "file")} ${count === 1 ? "is" : "are"} left out: ${why}${match}.${way}`);
  };
  say(empty.ignored, empty.ignored_matching, "ignored by .gitignore or the like", "Pass no_ignore: true.");
  say(empty.hidden, empty.hidden_matching, "hidden", "Pass hidden: true.");
  say(
    empty.too_large,
    null,
    `larger than ${formatBytes(limits.searchMultilineFileMaxBytes)}, too much for a match over lines`,
    "Name one as path to search it.",
  );
  return words;
}

function wouldMatchWords({ binary_matching, ignore_case_matching, literal_matching }: SearchEmpty): string[] {
  const words: string[] = [];
  if ((binary_matching ?? 0) > 0)
    words.push(`${formatCount(binary_matching ?? 0, "binary file")} would match. Name one as path to search it.`);
  if ((ignore_case_matching ?? 0) > 0)
    words.push(`${formatCount(ignore_case_matching ?? 0, "file")} would match with ignore_case: true.`);
  if ((literal_matching ?? 0) > 0)
    words.push(`${formatCount(literal_matching ?? 0, "file")} would match with literal: true.`);
  return words;
}
