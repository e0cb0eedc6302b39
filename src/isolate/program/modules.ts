// The modules that code in a run may import: Node modules that only compute and reach nothing outside.

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

/** The error for an import that is refused; null for a module that may be imported. */
export function importRefusal(name: string): string | null {
  if (importable.includes(name)) return null;
  if (importable.includes(`node:${name}`)) return `Cannot import "${name}"; write "node:${name}" instead`;
  const alternative = new Map(Object.entries(alternatives)).get(name.replace(/^node:/, ""));
  const advice = alternative ?? "There are no packages here; run packages in the machine with sandbox.exec";
  return `Cannot import "${name}". ${advice}. The importable modules are: ${importable.join(", ")}`;
}

const files = "Files are in the machine: use sandbox.readFile, writeFile and listFiles";
const network = "Nothing outside can be reached with this module: use fetch or the providers, see help()";

const alternatives: Record<string, string> = {
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
