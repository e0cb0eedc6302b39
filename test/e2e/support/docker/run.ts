// `npm run test:docker`: runs the e2e tests with a Docker daemon as the engine. Uses the daemon that answers; otherwise, as root
// and where `dockerd` and `debootstrap` are installed, it starts one for itself. Arguments are passed on to vitest.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { readDocker } from "../../../../container/local/docker-client.ts";
import { BUILT_IN_ONLY } from "../engine.ts";
import { projectDir } from "../start-server.ts";
import { daemonObstacle, startDaemon } from "./daemon.ts";
import { buildStandInImages, SIDECAR_STAND_IN } from "./stand-in-images.ts";

const [, , ...args] = process.argv;

async function main(): Promise<number> {
  const version = await readDocker(["version", "--format", "{{.Server.Version}}"], 10_000);
  if (version) {
    console.log(`Testing with the Docker daemon that answers (version ${version})`);
    return await runTests({});
  }
  const obstacle = daemonObstacle();
  if (obstacle !== null) {
    console.log(
      `\nSKIPPED: the tests of the Docker engine. No Docker daemon answers, and none can be started: ${obstacle}\n`,
    );
    return 0;
  }
  const daemon = await step("Starting a Docker daemon", startDaemon);
  try {
    process.env["DOCKER_HOST"] = daemon.socket;
    await step("Building the stand-ins for images of registries", buildStandInImages);
    return await runTests({ MINIFLARE_CONTAINER_EGRESS_IMAGE: SIDECAR_STAND_IN });
  } finally {
    await step("Stopping the Docker daemon", () => daemon.stop());
  }
}

async function runTests(environment: Record<string, string>): Promise<number> {
  for (const [file, reason] of Object.entries(BUILT_IN_ONLY)) console.log(`SKIPPED: ${file}, because ${reason}`);
  const vitest = spawn(join(projectDir, "node_modules/.bin/vitest"), ["run", "--project", "e2e", ...args], {
    cwd: projectDir,
    env: { ...process.env, ...environment, TEST_ENGINE: "docker" },
    stdio: "inherit",
  });
  // Ctrl-C reaches vitest too. What was started here is stopped when vitest has ended.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => vitest.kill(signal));
  const [code] = await once(vitest, "exit");
  return typeof code === "number" ? code : 1;
}

async function step<Value>(title: string, work: () => Promise<Value>): Promise<Value> {
  const start = performance.now();
  const value = await work();
  console.log(`${title}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
  return value;
}

process.exit(await main());
