// `npm start` chooses the Node that it runs on.

import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";

const directory = realpathSync(mkdtempSync(join(tmpdir(), "start-script-")));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const projectDir = join(import.meta.dirname, "../..");
const [packaged, host] = [program("node"), program("host-node")];

test.each([
  { agent: "npm/11.19.1 node/v20.20.2 linux x64 workspaces/false", execpath: host, chosen: packaged },
  { agent: "npm/11.19.1 node/v22.22.3 linux x64 workspaces/false", execpath: host, chosen: packaged },
  { agent: "npm/11.19.1 node/v24.0.0 linux x64 workspaces/false", execpath: host, chosen: host },
  { agent: "npm/12.0.0 node/v26.10.0 linux arm64 workspaces/false", execpath: host, chosen: host },
  { agent: "pnpm/11.1.0 npm/? node/v24.1.0 linux x64", execpath: host, chosen: host },
  { agent: "npm/11.19.1 node/v24.0.0 linux x64", execpath: join(directory, "missing"), chosen: packaged },
  { agent: "npm/11.19.1 node/v24.0.0 linux x64", execpath: undefined, chosen: packaged },
  { agent: "something else", execpath: host, chosen: packaged },
  { agent: undefined, execpath: undefined, chosen: packaged },
])("for $agent and $execpath it is $chosen", ({ agent, execpath, chosen }) => {
  const { stdout, stderr } = spawnSync("/bin/sh", [join(projectDir, "container/local/start.sh")], {
    env: { PATH: `${directory}:/usr/bin:/bin`, npm_config_user_agent: agent, npm_node_execpath: execpath },
    encoding: "utf8",
  });
  expect([stdout, stderr]).toEqual([`${chosen} ${join(projectDir, "container/local/main.ts")}\n`, ""]);
});

/** Prints how it was called. */
function program(name: string): string {
  const path = join(directory, name);
  writeFileSync(path, '#!/bin/sh\necho "$0" "$@"\n');
  chmodSync(path, 0o755);
  return path;
}
