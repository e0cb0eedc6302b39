// The command with which a person downloads a file of any size from a sandbox. Answers name it for a file that is too large for them.

import { quoteShell } from "../../format/quote-shell.ts";
import { writeUrlPath } from "./url-path.ts";

interface Download {
  /** This server's origin as clients see it: "https://host". */
  origin: string;
  sandbox: string;
  /** Absolute, or relative to /workspace. */
  path: string;
}

export function formatDownload({ origin, sandbox, path }: Download): string {
  const url = `${origin}/files/${sandbox}/${writeUrlPath(path)}`;
  return `curl -fsS -H "Authorization: Bearer $ACCESS_KEY" -o ${quoteShell(baseName(path))} ${quoteShell(url)}`;
}

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1) || "file";
