// The command with which a person moves a file of any size between a sandbox and where he sits: for answers that say that
// something is too large for them.

import { quoteShell } from "../../format/quote-shell.ts";
import { writeUrlPath } from "./url-path.ts";

export interface TransferPlace {
  /** Of this server, as clients see it: "https://host". */
  origin: string;
  sandbox: string;
  /** As the file operations take it. */
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
