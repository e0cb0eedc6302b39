// A sandbox that has used up its machine, as its client and its neighbour see it: the answers say what is used up, its files
// survive a stop, and the neighbour's calls go on.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect, type McpClient } from "./support/clients.ts";
import { testEngine } from "./support/engine.ts";
import { type Server, startServer } from "./support/start-server.ts";

let server: Server;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

/** In Docker the runner shares the limit of processes with the commands, so that this many, which are fewer, have to do there. */
const crowd = "exec perl -e 'for (1 .. 800) { fork or sleep } sleep'";
const bomb = testEngine === "docker" ? crowd : ":(){ :|:& };:";

const exhaustions = [
  { what: "a fork bomb", command: bomb, isAtLimit: testEngine !== "docker" },
  {
    what: "left-over processes that take memory again and again",
    command: `for n in 1 2 3; do while :; do tail -c 8G /dev/zero; done & done`,
    isAtLimit: false,
  },
];

describe.each(exhaustions)("with $what", ({ what, command, isAtLimit }) => {
  const sandbox = `exhausted-${what.split(" ")[1]}`;
  const neighbour = `${sandbox}-neighbour`;
  let client: McpClient;
  const exec = (line: string, input: Record<string, unknown> = {}) =>
    client.call("exec", { sandbox, command: line, ...input });

  beforeAll(async () => {
    client = await connect("2026", server);
    await client.call("exec", { sandbox: neighbour, command: "true" });
  });
  afterAll(async () => {
    for (const name of [sandbox, neighbour]) await client.call("sandbox", { action: "destroy", sandbox: name });
    await client.close();
  });

  test("the sandbox is usable again after a stop, with its files, and after KILL", async () => {
    let isOver = false;
    const failures: string[] = [];
    const loop = (async () => {
      let calls = 0;
      for (; !isOver; calls += 1) {
        const { text, structured } = await client.call("exec", { sandbox: neighbour, command: `echo ${calls}` });
        if (structured?.["stdout"] !== `${calls}\n`) failures.push(text);
      }
      return calls;
    })();
    try {
      await exec("echo of before >kept");
      const { structured } = await exec(command, { wait_ms: 1_000 });
      if (isAtLimit) await expectLimit(String(structured?.["process_id"]));
      const written = await client.call("file", { sandbox, action: "write", path: "written", content: "while full" });
      expect(written.isError).toBe(false);
      const stopped = await client.call("sandbox", { sandbox, action: "stop" });
      expect(stopped.isError).toBe(false);
      expect((await exec("cat kept written")).structured?.["stdout"]).toBe("of before\nwhile full");

      const again = await exec(command, { wait_ms: 1_000 });
      const killed = await client.call("process", {
        ...{ sandbox, action: "signal", signal: "KILL" },
        process_id: again.structured?.["process_id"],
      });
      expect(killed.text).toMatch(/^Sent SIGKILL to [\d,]+ processes\. /);
      expect(killed.structured).toMatchObject({ status: "exited" });
      expect(killed.structured).not.toHaveProperty("left_running");
      expect((await exec("(echo fine)")).structured?.["stdout"]).toBe("fine\n");
    } finally {
      isOver = true;
    }
    expect(await loop).toBeGreaterThan(3);
    expect(failures).toEqual([]);
  });

  async function expectLimit(holder: string): Promise<void> {
    await expect
      .poll(async () => (await exec("exec false")).text)
      .toMatch(
        new RegExp(
          `^Exit code 1 after .*\\.\\nThe machine is at its limit of [\\d,]+ processes and threads: [\\d,]+ of them belong to ${holder} \\(\`:\\(\\)\\{ :\\|:& \\};:\`\\)`,
        ),
      );
    const { structured } = await exec("exec false");
    expect(structured?.["notice"]).toContain(
      `To end all of ${holder}: process {action: "signal", process_id: "${holder}", signal: "KILL"}.`,
    );
  }
});
