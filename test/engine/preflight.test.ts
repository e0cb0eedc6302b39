// The check for what machines need: it finds nothing missing here, is quick, and otherwise says what to do.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { preflight } from "../../container/engine/preflight.ts";

const file = join(import.meta.dirname, "../../container/engine/preflight.ts");
const program = `console.log(JSON.stringify(await (await import(${JSON.stringify(file)})).preflight()))`;

describe("preflight()", () => {
  it("finds nothing missing on a host that has everything", async () => {
    expect(await preflight()).toEqual([]);
  });

  it.each([
    [
      "user namespaces are off",
      "echo 0 > /proc/sys/user/max_user_namespaces",
      /^\["User namespaces are off: run 'sudo sysctl -w user.max_user_namespaces=15000', or start Docker."\]$/,
    ],
    [
      "a mounted /proc hides parts",
      "mount -t tmpfs none /proc/sys/kernel",
      /^\["Namespaces cannot be made here .*start Docker, or run this on the host."\]$/,
    ],
  ])("says in one sentence what to do when %s", (_title, breakIt, sentence) => {
    // In separate namespaces, so that the host's settings stay as they are.
    const script = `${breakIt} && exec "$@"`;
    const inside = [
      "--user",
      "--map-root-user",
      "--mount",
      "--pid",
      "--fork",
      "--mount-proc",
      "sh",
      "-c",
      script,
      "sh",
    ];
    const answer = spawnSync("unshare", [...inside, process.execPath, "-e", program], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"] },
    });
    expect(answer.stdout.trim()).toMatch(sentence);
  });
});
