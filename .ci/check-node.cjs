// Compares the Node that comes as a package with the one that nodejs.org publishes, for each platform of package.json. Says that it is
// skipped where nodejs.org cannot be reached. NODE_DIST is another address for nodejs.org/dist.

const { execFileSync } = require("node:child_process");
const { createHash } = require("node:crypto");
const { mkdtempSync, rmSync, writeFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");

const { optionalDependencies } = require("../package.json");
const dist = process.env.NODE_DIST ?? "https://nodejs.org/dist";
const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

async function main() {
  const directory = mkdtempSync(join(tmpdir(), "check-node-"));
  try {
    for (const [name, version] of Object.entries(optionalDependencies)) await check(name, version, directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function check(name, version, directory) {
  const platform = name.replace(/^node-(bin-)?/, "");
  const release = `node-v${version}-${platform}`;
  const sums = await download(`v${version}/SHASUMS256.txt`);
  const tarball = await download(`v${version}/${release}.tar.gz`);
  const published = new RegExp(`^([0-9a-f]{64})  ${release.replaceAll(".", "\\.")}\\.tar\\.gz$`, "m").exec(sums)?.[1];
  if (published !== sha256(tarball)) throw new Error(`${release}.tar.gz is not what SHASUMS256.txt says`);
  const archive = join(directory, "official.tar.gz");
  writeFileSync(archive, tarball);
  const official = read(archive, `${release}/bin/node`);
  const [{ filename }] = JSON.parse(
    execFileSync("npm", ["pack", "--json", `${name}@${version}`, "--pack-destination", directory], {
      encoding: "utf8",
    }),
  );
  if (sha256(read(join(directory, filename), "package/bin/node")) !== sha256(official))
    throw new Error(`bin/node of ${name}@${version} is not the one of ${release}`);
  console.log(`${name}@${version} has the Node of nodejs.org`);
}

const read = (archive, path) => execFileSync("tar", ["-xzOf", archive, path], { maxBuffer: 512 * 1024 * 1024 });

class Unreachable extends Error {}

async function download(path) {
  let response;
  try {
    response = await fetch(`${dist}/${path}`);
  } catch (error) {
    throw new Unreachable(String(error.cause ?? error));
  }
  if (!response.ok) throw new Error(`${dist}/${path} was answered ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

main().catch((error) => {
  const skipped = error instanceof Unreachable;
  console.error(skipped ? `SKIPPED: the check of Node's packages, because ${dist} cannot be reached` : error.message);
  process.exitCode = skipped ? 0 : 1;
});
