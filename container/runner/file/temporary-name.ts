// The names of temporary files, which are written beside a file and then renamed to it. Listings leave them out. A name
// identifies the runner that made it, so that no runner takes a file in use for a leftover.

import { randomBytes } from "node:crypto";

/** Sixteen hex digits identify the runner, and sixteen the file. */
export const TEMPORARY_NAME = /^\.sandbox-mcp-[0-9a-f]{32}\.tmp$/;

const runnerId = randomBytes(8).toString("hex");

export const temporaryName = (): string => `.sandbox-mcp-${runnerId}${randomBytes(8).toString("hex")}.tmp`;

/** Whether this runner made it, so that it is in use or about to be removed. */
export const isOwnTemporary = (name: string): boolean => name.startsWith(`.sandbox-mcp-${runnerId}`);
