// A writer that is killed at any moment leaves either the old content or the new, and its temporary files are not listed.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TEMPORARY_NAME } from "../../../container/runner/file/temporary-name.ts";
import { done, filesUnderTest } from "./files-under-test.ts";

const bundled = mkdtempSync(join(tmpdir(), "crash-writer-"));
const writer = join(bundled, "writer.mjs");
const KILLS = 100;
const AT_ONCE = 4;
const padding = "padding line\n".repeat(20_000);

// Bundled into one file, as the runner is, because it starts many times.
beforeAll(async () => {
  const source = fileURLToPath(new URL("crash-writer.ts", import.meta.url));
  await build({ entryPoints: [source], outfile: writer, bundle: true, platform: "node", format: "esm" });
});
afterAll(() => rmSync(bundled, { recursive: true }));

test(`${KILLS} writers leave the old content or the new when killed at random moments`, async () => {
  const left = Array.from({ length: KILLS }, (_, index) => index);
  const kills = await Promise.all(Array.from({ length: AT_ONCE }, () => killSome(left)));
  const found = kills.flat();
  expect(found.filter(({ problem }) => problem !== null)).toEqual([]);
  // The test shows something only if writers were in the middle of it.
  expect(found.filter(({ interrupted }) => interrupted).length).toBeGreaterThan(5);
});

interface Found {
  problem: string | null;
  interrupted: boolean;
}

async function killSome(left: number[]): Promise<Found[]> {
  const found: Found[] = [];
  while (left.pop() !== undefined) found.push(await killOne());
  return found;
}

async function killOne(): Promise<Found> {
  const root = mkdtempSync(join(tmpdir(), "crash-test-"));
  const files = filesUnderTest(root);
  files.put("whole", "start");
  files.put("edited", `${padding}count=0\n${padding}`);
  files.put("log", "");
  const child = spawn(process.execPath, [writer, files.roots.workspace, files.roots.home], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    await once(child.stdout, "data");
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
    child.kill("SIGKILL");
    await once(child, "exit");
    const names = readdirSync(files.roots.workspace);
    const listed = done(await files.call("file-list", { path: ".", depth: 1, no_ignore: true, offset: 0, limit: 100 }));
    return {
      problem: problemOf(
        files.text("whole"),
        files.text("edited"),
        files.text("log"),
        listed.entries.map(({ name }) => name),
      ),
      interrupted: names.some((name) => TEMPORARY_NAME.test(name)),
    };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function problemOf(whole: string, edited: string, log: string, names: string[]): string | null {
  const sizes = [1, 4_096, 50_000, 700_000];
  const letters = new Set(whole);
  if (whole !== "start" && (letters.size !== 1 || !sizes.includes(whole.length)))
    return `whole: ${whole.length} characters of ${[...letters]}`;
  if (!/^count=\d+\n$/.test(edited.slice(padding.length, -padding.length)))
    return "edited: not one count between its paddings";
  if (edited.slice(0, padding.length) !== padding || !edited.endsWith(padding)) return "edited: its padding changed";
  const turns = log.split("\n").slice(0, -1);
  if (turns.some((turn, index) => turn !== String(index)) || !/(^|\n)$/.test(log)) return `log: ${log.slice(-50)}`;
  return names.join() === "edited,log,whole" ? null : `listed: ${names.join()}`;
}
