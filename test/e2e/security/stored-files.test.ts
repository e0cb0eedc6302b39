// The files of a server, whose directories existed before it and were open to every user of the host.

import { chmodSync, mkdirSync, mkdtempSync, readdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { connect } from "../support/clients.ts";
import { testEngine } from "../support/engine.ts";
import { removeState, startServer } from "../support/start-server.ts";

test("other users of the host can read no file that the server stores", async () => {
  const stateDir = mkdtempSync(join(tmpdir(), "open-state-"));
  try {
    chmodSync(stateDir, 0o755);
    mkdirSync(join(stateDir, "state/v3"), { recursive: true, mode: 0o755 });
    const server = await startServer({ stateDir });
    try {
      const client = await connect("2026", server);
      const { structured } = await client.call("exec", { command: "echo secret > /workspace/secret.txt" });
      expect(structured?.["exit_code"]).toBe(0);
      await client.call("sandbox", { action: "checkpoint", name: "one" });
      await client.close();
    } finally {
      await server.stop();
    }
    // A checkpoint and a database are there, and only the program of the runner, which holds nothing of anybody's, is readable.
    const stored = filesBelow(stateDir, () => true);
    expect(stored.filter((path) => path.includes("checkpoints"))).not.toEqual([]);
    expect(stored.filter((path) => path.endsWith(".sqlite"))).not.toEqual([]);
    expect(
      stored.filter((path) => path.startsWith("state/") && (statSync(join(stateDir, path)).mode & 0o077) !== 0),
    ).toEqual([]);
    expect(filesBelow(stateDir, (mode) => (mode & 0o007) !== 0)).toEqual(testEngine === "docker" ? [] : ["runner.mjs"]);
  } finally {
    removeState(stateDir);
  }
});

/** Those whose own mode and those of all directories above them are accepted. */
function filesBelow(root: string, accepts: (mode: number) => boolean, directory = ""): string[] {
  return readdirSync(join(root, directory)).flatMap((name) => {
    const path = join(directory, name);
    const entry = statSync(join(root, path));
    if (!accepts(entry.mode)) return [];
    return entry.isDirectory() ? filesBelow(root, accepts, path) : [path];
  });
}
