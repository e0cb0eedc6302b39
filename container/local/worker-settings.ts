// The settings of the local Worker, from the environment of `npm start`, from .dev.vars, and from the server itself.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";

/** The settings that are passed from the environment to the Worker. */
const FROM_ENVIRONMENT = [
  "ACCESS_KEYS",
  "ALLOWED_HOSTS",
  "SLEEP_AFTER",
  "LONGEST_AWAKE",
  "CHECKPOINT_AFTER",
  "CHECKPOINT_PATHS",
  "MAX_SANDBOXES",
  "MAX_AWAKE",
  "PREVIEW_DOMAIN",
  "EGRESS_CEILING",
  "EGRESS_DEFAULT",
  "EGRESS_SECRETS",
  "GITHUB_REPOSITORY",
  "GITHUB_TOKEN",
  "GITHUB_API_URL",
];

/** `key` is the local access key. */
export function workerSettings(projectDir: string, port: number, key: string): Record<string, string> {
  // Browsers and most resolvers resolve every name under localhost to this host.
  const settings: Record<string, string> = { PREVIEW_DOMAIN: `localhost:${port}`, ...readDevVars(projectDir) };
  for (const name of [...FROM_ENVIRONMENT, ...namedSecrets(process.env["EGRESS_SECRETS"])]) {
    const value = process.env[name];
    if (value !== undefined) settings[name] = value;
  }
  settings["ACCESS_KEYS"] = `local:${key} ${settings["ACCESS_KEYS"] ?? ""}`.trim();
  return settings;
}

/** Reads the file in which wrangler also looks for secrets for local development. */
function readDevVars(projectDir: string): Record<string, string> {
  const path = [".dev.vars", ".env"].map((name) => join(projectDir, name)).find((file) => existsSync(file));
  if (path === undefined) return {};
  const variables = Object.entries(parseEnv(readFileSync(path, "utf8")));
  return Object.fromEntries(variables.map(([name, value]) => [name, value ?? ""]));
}

/** Returns the names of the secrets that EGRESS_SECRETS uses. The Worker reports a setting that cannot be parsed. */
const namedSecrets = (setting: string | undefined): string[] =>
  [...(setting ?? "").matchAll(/"secret"\s*:\s*"([A-Za-z_][A-Za-z0-9_]*)"/g)].map(([, name = ""]) => name);
