// Archives the subtrees that are too deep for tar to unpack (deep-paths.ts).

import { spawn } from "node:child_process";
import { appendFile, lstat, mkdir, open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../file/error-code.ts";
import { DEEP_DIRECTORY, type DeepArchive, splitPath } from "./deep-paths.ts";
import { pathBytes } from "./entry.ts";
import { openSteps, pathOf } from "./open-steps.ts";

/**
 * `deep` lists the tops of subtrees, each ended by NUL. They are added to the list `names`, because making them later would
 * change the times of the directories above; archives of what is in them are written below `out`. Resolves to the names in `out` that the layer's archive must have.
 */
export async function packDeep(
  deep: string,
  lists: { names: string; out: string },
  tarOptions: readonly string[],
): Promise<string[]> {
  const tops = (await readFile(deep, "latin1")).split("\0").filter(Boolean);
  const archives: DeepArchive[] = [];
  for (const top of tops) {
    const stats = await lstat(Buffer.concat([Buffer.from("/"), pathBytes(top)])).catch(() => null);
    if (stats === null) continue;
    await appendFile(lists.names, Buffer.from(`${top}\0`, "latin1"));
    if (stats.isDirectory()) await packSubtree(top, join(lists.out, DEEP_DIRECTORY), archives, tarOptions);
  }
  if (archives.length === 0) return [];
  await writeFile(
    join(lists.out, DEEP_DIRECTORY, "index"),
    archives.map((archive) => `${JSON.stringify(archive)}\n`).join(""),
  );
  return ["", "index", ...archives.map(({ name }) => name)].map((name) => join(DEEP_DIRECTORY, name));
}

async function packSubtree(
  top: string,
  out: string,
  archives: DeepArchive[],
  tarOptions: readonly string[],
): Promise<void> {
  await mkdir(out, { recursive: true, mode: 0o700 });
  const groups = new Map<string, { steps: string[]; names: string[] }>();
  for (const path of await listBelow(top)) {
    const { steps, rest } = splitPath(path);
    const key = steps.join("/");
    const group = groups.get(key) ?? { steps: [top, ...steps], names: ["."] };
    groups.set(key, group);
    if (rest !== "") group.names.push(rest);
  }
  for (const { steps, names } of groups.values()) {
    const archive = { name: `${archives.length}.tar`, steps };
    archives.push(archive);
    await using directory = await openSteps("/", steps);
    await using file = await open(join(out, archive.name), "wx", 0o600);
    // Compressed, because long names take much, and a restore needs the space beside that of the files.
    const tar = spawn("tar", ["--create", "--gzip", ...tarOptions, "--files-from=-"], {
      cwd: pathOf(directory),
      env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C" },
      stdio: ["pipe", file.fd, "pipe"],
    });
    tar.stdin?.on("error", () => undefined).end(Buffer.from(names.map((name) => `${name}\0`).join(""), "latin1"));
    const { code, text } = await outcome(tar, tar.stderr);
    // As in pack.sh: 1 means that a file changed while it was read.
    if (code > 1)
      throw Object.assign(new Error(text), { code: text.includes("No space left") ? "ENOSPC" : "EIO", errno: -1 });
  }
}

/** The paths below `top` of all that checkpoints keep, and an empty one for `top` itself. */
async function listBelow(top: string): Promise<string[]> {
  try {
    await using directory = await openSteps("/", [top]);
    const kinds = ["(", "-type", "f", "-o", "-type", "d", "-o", "-type", "l", "-o", "-type", "p", ")"];
    const find = spawn("find", [".", "-xdev", ...kinds, "-printf", "%P\\0"], {
      cwd: pathOf(directory),
      stdio: ["ignore", "pipe", "ignore"],
    });
    return (await outcome(find, find.stdout)).text.split("\0").slice(0, -1);
  } catch (error) {
    // It was deleted since the scan, which the next checkpoint records.
    if (errorCode(error) === null) throw error;
    return [];
  }
}

interface Ending {
  once(event: "error", listener: (error: Error) => void): unknown;
  once(event: "close", listener: (code: number | null) => void): unknown;
}

function outcome(child: Ending, stream: NodeJS.ReadableStream | null): Promise<{ code: number; text: string }> {
  const chunks: string[] = [];
  stream?.setEncoding("latin1").on("data", (text: string) => void chunks.push(text));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code: code ?? 128, text: chunks.join("") }));
  });
}
