// How the server calls Docker's client, shown with a program in its place that says how it was called.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { readDocker } from "../../container/local/docker-client.ts";
import { readStat } from "../../container/proc/process-stat.ts";

afterEach(() => vi.unstubAllEnvs());

function useClient(script: string): void {
  const directory = mkdtempSync(join(tmpdir(), "docker-client-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  writeFileSync(join(directory, "docker"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  vi.stubEnv("WRANGLER_DOCKER_BIN", join(directory, "docker"));
}

test("readDocker() resolves with the output, and runs the client where Ctrl-C does not reach it", async () => {
  useClient('echo "$@"; cut -d " " -f 5,6 /proc/$$/stat');
  const [args, ids] = String(await readDocker(["stop", "-t", "30"])).split("\n");
  const [group, session] = String(ids).split(" ").map(Number);
  expect(args).toBe("stop -t 30");
  expect(session).not.toBe(readStat("self")?.session);
  expect(group).toBe(session);
});

test.each([
  ["fails", "echo some; exit 1"],
  ["takes too long", "exec sleep 600"],
])("readDocker() resolves with null when the client %s", async (_, script) => {
  useClient(script);
  expect(await readDocker(["info"], 1_000)).toBeNull();
});

test("readDocker() resolves with null when the client is not installed", async () => {
  vi.stubEnv("WRANGLER_DOCKER_BIN", "/nonexistent/docker");
  expect(await readDocker(["info"])).toBeNull();
});
