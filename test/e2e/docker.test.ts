// `npm start` with Docker: what it asks of the client and of the daemon. The client is a stand-in that writes down its calls, and the
// daemon is the built-in engine, which answers the same API; a real one is no part of the tests.

import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SIDECAR_IMAGE } from "../../container/local/docker.ts";
import { projectIdOf } from "../../container/local/engine-choice.ts";
import { type EngineProcess, startEngine } from "../../container/local/engine-process.ts";
import { connect } from "./support/clients.ts";
import { projectDir, removeState, type Server, startServer } from "./support/start-server.ts";

const CLIENT = `#!/bin/sh
echo "$*" >>"$DOCKER_CALLS"
case "$1 $2" in
  "version --format") echo 99.0 ;;
  "context inspect") echo "unix://$DOCKER_SOCKET" ;;
  "image inspect") exit 1 ;;
  build*) echo "a step of the build" ; exit "\${DOCKER_BUILD:-0}" ;;
esac
`;

const image = (stateDir: string) => `sandbox-mcp:${projectIdOf(stateDir)}`;
let directory = "";
let engine: EngineProcess;
let env: Record<string, string> = {};

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "docker-"));
  writeFileSync(join(directory, "docker"), CLIENT);
  chmodSync(join(directory, "docker"), 0o755);
  engine = await startEngine({ projectDir, projectId: projectIdOf(directory), stateDir: directory });
  env = {
    PATH: `${directory}:${process.env["PATH"]}`,
    SANDBOX_MCP_ENGINE: "docker",
    DOCKER_CALLS: join(directory, "calls"),
    DOCKER_SOCKET: engine.socket,
    DOCKER_HOST: "",
    WRANGLER_DOCKER_HOST: "",
  };
});
afterAll(async () => {
  await engine?.stop(4_000);
  removeState(directory);
});

test("the image is built, the sidecar's is pulled, and machines are the daemon's", async () => {
  const server: Server = await startServer({ env });
  expect(server.output()).toContain("Docker: a Docker daemon answers (version 99.0)");
  expect(server.output()).toContain("a step of the build");
  const client = await connect("2026", server);
  const result = await client.call("exec", { command: "echo from a machine" });
  expect(result.structured).toMatchObject({ exit_code: 0, stdout: "from a machine\n" });
  await client.close();
  await server.stop();
  expect(readFileSync(join(directory, "calls"), "utf8").trimEnd().split("\n")).toEqual([
    "version --format {{.Server.Version}}",
    `build --load -t ${image(server.stateDir)} --platform linux/amd64 --provenance=false -f ${projectDir}/container/image/Dockerfile ${projectDir}`,
    `image inspect --format {{.Id}} ${SIDECAR_IMAGE}`,
    `pull ${SIDECAR_IMAGE}`,
    "context inspect --format {{.Endpoints.docker.Host}}",
    // This one is Miniflare's.
    `--host unix://${engine.socket} info --format {{json .SecurityOptions}}`,
  ]);
});

test("a build that fails ends the start with one sentence", async () => {
  await expect(startServer({ env: { ...env, DOCKER_BUILD: "1" } })).rejects.toThrow(
    /a step of the build[\s\S]*"docker build" failed; what is printed above says why/,
  );
});
