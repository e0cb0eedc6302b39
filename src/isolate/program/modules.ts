// What code in a run may import: modules of Node that compute and reach nothing.

export const importable: readonly string[] = [
  "assert",
  "buffer",
  "crypto",
  "events",
  "path",
  "querystring",
  "string_decoder",
  "timers/promises",
  "url",
  "util",
].map((name) => `node:${name}`);

/** A sentence for an import of anything else; null where it is there. */
export function refuseImport(name: string): string | null {
  if (importable.includes(name)) return null;
  if (importable.includes(`node:${name}`)) return `Cannot import "${name}" by that name; write "node:${name}"`;
  const instead = new Map(Object.entries(insteadOf)).get(name.replace(/^node:/, ""));
  const advice = instead ?? "There are no packages here; run them in the machine with sandbox.exec";
  return `Cannot import "${name}". ${advice}. What can be imported is: ${importable.join(", ")}`;
}

const files = "Files are in the machine: use sandbox.readFile, writeFile and listFiles";
const network = "Nothing outside can be reached from here: use the providers, see help()";

const insteadOf: Record<string, string> = {
  fs: files,
  "fs/promises": files,
  child_process: 'Commands run in the machine: use sandbox.exec({command: "…"})',
  http: network,
  https: network,
  net: network,
  tls: network,
  dns: network,
  "node-fetch": network,
  axios: network,
  undici: network,
  "cloudflare:sockets": network,
  "cloudflare:workers": "The platform is not part of this environment",
};
