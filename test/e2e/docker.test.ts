// `npm start` with Docker: what it asks of the client and of the daemon. The client is a stand-in that writes down its calls, and the
// daemon is the built-in engine, which answers the same API. `npm run test:docker` runs other tests with a real one.

import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SIDECAR_IMAGE } from "../../container/local/docker-images.ts";
import { projectIdOf } from "../../container/local/engine-choice.ts";
import { type EngineProcess, startEngine } from "../../container/local/engine-process.ts";
import { connect } from "./support/clients.ts";
import { projectDir, removeState, type Server, startServer } from "./support/start-server.ts";

const CLIENT = `#!/bin/sh
echo "$*" >>"$DOCKER_CALLS"
case "$1 $2" in
  "version --format") echo 99.0 ;;
  "context inspect") echo "unix://$DOCKER_SOCKET" ;;
  "buildx version") exit "\${DOCKER_BUILDX:-0}" ;;
  "image inspect") exit 1 ;;
  build*) echo "a step of the build" ; exit "\${DOCKER_BUILD:-0}" ;;
esac
`;

let directory = "";
let engine: EngineProcess;
let env: Record<string, string> = {};

/** The calls of the client since the last time. */
function calls(): string[] {
  const file = join(directory, "calls");
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  writeFileSync(file, "");
  return lines;
}

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
  const id = projectIdOf(server.stateDir);
  const directoryOfImages = join(projectDir, "container/image");
  const list = (kind: string) => `ps --all --quiet --no-trunc --filter label=sandbox-mcp.${kind}=${id}`;
  // This one runs beside the others.
  const events = `events --filter event=start --filter label=sandbox-mcp.machine=${id} --format {{.ID}}`;
  const all = calls();
  expect(all).toContain(events);
  expect(all.filter((call) => call !== events)).toEqual([
    "version --format {{.Server.Version}}",
    "buildx version",
    `build --load --provenance=false -t sandbox-mcp:${id} --label sandbox-mcp.machine=${id} --platform linux/amd64 -f ${directoryOfImages}/Dockerfile ${projectDir}`,
    `image inspect --format {{.Id}} ${SIDECAR_IMAGE}`,
    `pull ${SIDECAR_IMAGE}`,
    `build --load --provenance=false -t sandbox-mcp-sidecar:${id} --label sandbox-mcp.sidecar=${id} --build-arg IMAGE=${SIDECAR_IMAGE} -f ${directoryOfImages}/sidecar.Dockerfile ${directoryOfImages}`,
    // What an earlier server left behind.
    list("machine"),
    list("sidecar"),
    "context inspect --format {{.Endpoints.docker.Host}}",
    // This one is Miniflare's.
    `--host unix://${engine.socket} info --format {{json .SecurityOptions}}`,
    // The end: first the machines are stopped, then what is left is removed.
    list("machine"),
    list("machine"),
    list("sidecar"),
  ]);
});

test("a client without buildx gets no arguments that it does not know", async () => {
  const server = await startServer({ env: { ...env, DOCKER_BUILDX: "1" } });
  await server.stop();
  const builds = calls().filter((call) => call.startsWith("build "));
  expect(builds).toHaveLength(2);
  expect(builds.join("\n")).not.toMatch(/--load|--provenance/);
});

test("a build that fails ends the start with one sentence", async () => {
  await expect(startServer({ env: { ...env, DOCKER_BUILD: "1" } })).rejects.toThrow(
    /a step of the build[\s\S]*"docker build" failed; what is printed above says why/,
  );
});
