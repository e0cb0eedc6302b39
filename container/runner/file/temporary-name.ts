// The names of what is written beside a file before it takes its place: never listed, and told apart by the runner that made
// them, so that none takes another's, or its own, for a leftover.

import { randomBytes } from "node:crypto";

/** Sixteen digits of the runner, sixteen of the file. */
export const TEMPORARY_NAME = /^\.sandbox-mcp-[0-9a-f]{32}\.tmp$/;

const own = randomBytes(8).toString("hex");

export const temporaryName = (): string => `.sandbox-mcp-${own}${randomBytes(8).toString("hex")}.tmp`;

/** Made by this runner, so in use, or gone soon. */
export const isOwnTemporary = (name: string): boolean => name.startsWith(`.sandbox-mcp-${own}`);
