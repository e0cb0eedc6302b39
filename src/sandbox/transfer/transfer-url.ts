// The commands with which a person moves a file of any size between a sandbox and their own computer. Answers name them when a file
// is too large for an answer.

import { quoteShell } from "../../format/quote-shell.ts";
import { writeUrlPath } from "./url-path.ts";

export interface TransferPlace {
  /** The origin of this server, as clients see it: "https://host". */
  origin: string;
  sandbox: string;
  /** The path as the file operations take it. */
  path: string;
}

export const transferUrl = ({ origin, sandbox, path }: TransferPlace): string =>
  `${origin}/files/${sandbox}/${writeUrlPath(path)}`;

export const formatDownload = (place: TransferPlace): string =>
  `curl -fsS ${header} -o ${quoteShell(baseName(place.path))} ${quoteShell(transferUrl(place))}`;

export const formatUpload = (place: TransferPlace): string =>
  `curl -fsS ${header} -T ${quoteShell(baseName(place.path))} ${quoteShell(transferUrl(place))}`;

const header = '-H "Authorization: Bearer $ACCESS_KEY"';

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1) || "file";
