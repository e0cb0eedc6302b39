// Chooses the engine that runs the machines: a Docker daemon when one answers, otherwise the built-in engine.

import { hash } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import { preflight } from "../engine/preflight.ts";
import { readDocker } from "./docker-client.ts";
import { printable } from "./print-lines.ts";
import { UserError } from "./user-error.ts";

export interface EngineChoice {
  name: "Docker" | "built-in";
  why: string;
}

/** `wanted` is the setting SANDBOX_MCP_ENGINE: "docker", "built-in", or unset. */
export async function chooseEngine(wanted: string | undefined): Promise<EngineChoice> {
  if (wanted !== undefined && !["", "docker", "built-in"].includes(wanted)) {
    throw new UserError(`SANDBOX_MCP_ENGINE is "${wanted}"; set it to "docker" or "built-in", or leave it unset.`);
  }
  const version = wanted === "built-in" ? null : await dockerVersion();
  if (version !== null) return { name: "Docker", why: `a Docker daemon answers (version ${version})` };
  if (wanted === "docker")
    throw new UserError("No Docker daemon answers; start Docker, or leave SANDBOX_MCP_ENGINE unset.");
  const obstacles = await preflight();
  if (obstacles.length > 0) throw new UserError(obstacles.join("\n"));
  return { name: "built-in", why: wanted === "built-in" ? "as SANDBOX_MCP_ENGINE says" : "no Docker daemon answers" };
}

const dockerVersion = async (): Promise<string | null> =>
  printable((await readDocker(["version", "--format", "{{.Server.Version}}"], 5_000)) ?? "") || null;

/** Distinguishes the state directories on one host. */
export const projectIdOf = (stateDir: string): string => hash("sha256", stateDir).slice(0, 12);

/** Where the built-in engine stores machines. Root's home is closed to the users of machines, so root uses /var/lib. */
export const engineStateDir = (projectId: string): string =>
  process.getuid?.() === 0
    ? join("/var/lib/sandbox-mcp", projectId)
    : join(process.env["XDG_STATE_HOME"] ?? join(homedir(), ".local/state"), "sandbox-mcp", projectId);
