// Files outlast their machines: through sleep, an end by force, a restart of the server, and as checkpoints by name.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, type McpClient, type ToolResult } from "./support/clients.ts";
import { machineWith } from "./support/server-processes.ts";
import { type Server, startServer } from "./support/start-server.ts";
import { damageObject, storedObjects } from "./support/stored-objects.ts";

let server: Server;
let client: McpClient;
beforeAll(async () => {
  server = await startServer({ env: { SLEEP_AFTER: "2s", CHECKPOINT_AFTER: "1s" } });
  client = await connect("2026", server);
});
afterAll(async () => {
  await client.close();
  await server.stop();
});

let made = 0;
const newName = (): string => `s${made++}`;

const run = async (sandbox: string, command: string, more: Record<string, unknown> = {}): Promise<ToolResult> => {
  const result = await client.call("exec", { sandbox, command, ...more });
  expect([result.isError, result.structured?.["exit_code"], result.text]).toEqual([false, 0, expect.any(String)]);
  return result;
};
const act = (sandbox: string, action: string, input: Record<string, unknown> = {}): Promise<ToolResult> =>
  client.call("sandbox", { sandbox, action, ...input });
const done = async (...args: Parameters<typeof act>): Promise<Record<string, unknown>> => {
  const result = await act(...args);
  if (result.isError) throw new Error(result.text);
  return result.structured ?? {};
};
const checkpoints = async (sandbox: string): Promise<Record<string, unknown>[]> => {
  const listed = (await done(sandbox, "checkpoints"))["checkpoints"];
  return Array.isArray(listed) ? listed : [];
};
const stdout = (result: ToolResult): unknown => result.structured?.["stdout"];
const notice = (result: ToolResult): string => String(result.structured?.["notice"] ?? "");

const untilAsleep = (sandbox: string): Promise<void> =>
  expect.poll(async () => (await done(sandbox, "status"))["state"], { interval: 200 }).toBe("asleep");

/** Objects of sandboxes that have none yet, and marks: those of other tests come from sandboxes that have. */
function objectsFromNowOn(): () => string[] {
  const ownerOf = (key: string): string => (key.startsWith("layers/") ? (key.split("/")[1] ?? "") : key);
  const others = new Set(storedObjects(server).map(ownerOf));
  return () => storedObjects(server).filter((key) => !others.has(ownerOf(key)));
}

/** Kills process 1 of the machine, which is found by a process of a name that nothing else has. */
async function killMachine(sandbox: string): Promise<void> {
  const marker = `m${Date.now() % 1e8}`;
  await run(sandbox, `cp $(command -v sleep) /tmp/${marker}; (/tmp/${marker} 1000 >/dev/null 2>&1 &)`);
  process.kill(machineWith(server, marker), "SIGKILL");
}

test("files are there after sleep, and the notice says so", async () => {
  const name = newName();
  const first = await run(
    name,
    "mkdir -p d/e; echo one > d/f; echo two > ~/g; chmod 750 d; ln -s f d/l; git init -q r",
  );
  expect(notice(first)).toContain("is new");
  await untilAsleep(name);
  const again = await run(name, "cat d/l ~/g; stat -c %a d; ls -d d/e; git -C r status --short; echo /tmp/*");
  expect(stdout(again)).toBe("one\ntwo\n750\nd/e\n/tmp/*\n");
  expect(notice(again)).toMatch(
    /^The machine was restarted since the last call\. Its files are as they were, from checkpoint c\w+, taken (just now|.* ago)\. No process was running in it/,
  );
  expect(notice(await run(name, "true"))).toBe("");
});

test("after an end by force the files are those of the last checkpoint, and what is lost is named", async () => {
  const name = newName();
  const command = "echo kept > kept; sleep 1000";
  await client.call("exec", { sandbox: name, command, background: true, process_id: "server" });
  await expect.poll(async () => (await checkpoints(name)).length).toBe(1);
  await killMachine(name);
  // The first answers may be that the machine is gone; whichever comes first carries the notice.
  let said = "";
  await expect
    .poll(async () => {
      const answer = await client.call("exec", { sandbox: name, command: "cat kept" });
      said += answer.text;
      return stdout(answer);
    })
    .toBe("kept\n");
  expect(said).toContain("without a chance to store its files first. They are those of checkpoint c");
  expect(said).toContain("Lost with it: server (echo kept > kept; sleep 1000)");
});

test("a change is stored while the machine is awake, once, and nothing when nothing changes", async () => {
  const name = newName();
  await run(name, "echo > a");
  await expect.poll(async () => (await checkpoints(name)).length).toBe(1);
  await run(name, "ls");
  await run(name, "cat a");
  await untilAsleep(name);
  expect(await checkpoints(name)).toMatchObject([{ kind: "automatic", files: 1, added: 1 }]);
});

test("what a background process writes is stored too", async () => {
  const name = newName();
  const writer = "sleep 3; echo late > late; sleep 1000";
  await client.call("exec", { sandbox: name, command: writer, background: true });
  // Looking for changes takes at most a twentieth of the time, so that a slow checkpoint puts off the next one for long.
  await expect.poll(async () => (await checkpoints(name))[0]?.["added"], { timeout: 150_000 }).toBe(1);
});

test("writes that never pause are stored again and again, and only what changed", async () => {
  const name = newName();
  await run(name, "echo > first");
  await expect.poll(async () => (await checkpoints(name)).length).toBe(1);
  await run(name, "mkdir m; cd m; head -c 10000000 /dev/urandom | split -a 4 -b 5000 -");
  await expect.poll(async () => (await checkpoints(name))[0]?.["files"]).toBe(2_001);
  const large = (await checkpoints(name))[0];
  const writer = "while :; do n=$((n + 1)); echo $n > w$((n % 50)); rm -f w$((n * 7 % 50)); sleep 0.01; done";
  await client.call("exec", { sandbox: name, command: writer, background: true });
  const since = async () => {
    const all = await checkpoints(name);
    return all.slice(
      0,
      all.findIndex(({ id }) => id === large?.["id"]),
    );
  };
  await expect.poll(async () => (await since()).length).toBeGreaterThan(4);
  for (const { bytes } of await since()) expect(bytes).toBeLessThan(100_000);
  await done(name, "stop");
});

test("named ones: what changed, a diff, going back and going forth again", async () => {
  const name = newName();
  await run(name, "seq 9 > n; echo > gone");
  expect(await done(name, "checkpoint", { name: "first" })).toMatchObject({
    checkpoint: { name: "first", kind: "named", files: 2, added: 2, changed: 0, removed: 0 },
  });
  await run(name, "sed -i s/5/five/ n; rm gone; echo > new");
  expect(await done(name, "diff", { checkpoint: "first" })).toMatchObject({
    added: ["/workspace/new"],
    changed: ["/workspace/n"],
    removed: ["/workspace/gone"],
  });
  const text = await act(name, "diff", { checkpoint: "first", path: "n" });
  expect(text.text).toContain("-5\n+five\n");
  const restored = await done(name, "restore", { checkpoint: "first" });
  expect(stdout(await run(name, "ls; sed -n 5p n"))).toBe("gone\nn\n5\n");
  const before = String((restored["before"] as Record<string, unknown>)["id"]);
  expect(await done(name, "diff", { checkpoint: "first", to: before })).toMatchObject({ added: ["/workspace/new"] });
  await untilAsleep(name);
  expect(stdout(await run(name, "ls"))).toBe("gone\nn\n");
  await done(name, "restore", { checkpoint: before });
  expect(stdout(await run(name, "ls; sed -n 5p n"))).toBe("n\nnew\nfive\n");
});

test("restore while asleep is what the next machine starts from", async () => {
  const name = newName();
  await run(name, "echo 1 > a");
  await done(name, "checkpoint", { name: "one" });
  await run(name, "echo 2 > a");
  await done(name, "stop");
  expect(await done(name, "restore", { checkpoint: "one" })).toMatchObject({ in_machine: false });
  expect(stdout(await run(name, "cat a"))).toBe("1\n");
});

test("a fork goes its own way, and what both need stays until neither does", async () => {
  const [name, other, third] = [newName(), newName(), newName()];
  const own = objectsFromNowOn();
  await run(name, "echo shared > a; head -c 100000 /dev/urandom > big");
  await done(name, "checkpoint", { name: "base" });
  const [base] = own();
  await done(name, "fork", { checkpoint: "base", into: other });
  expect(own().filter((key) => key.startsWith("layers/"))).toEqual([base]);
  await run(name, "echo mine > a");
  const forked = await run(other, "cat a; echo theirs > a");
  expect(stdout(forked)).toBe("shared\n");
  expect(notice(forked)).toContain("with the files of a checkpoint");
  expect(stdout(await run(name, "cat a"))).toBe("mine\n");
  expect((await act(name, "fork", { into: other })).text).toContain("there is one of this name already");
  await done(name, "destroy", { with_checkpoints: true });
  await done(other, "stop");
  await done(other, "fork", { into: third });
  await done(other, "destroy", { with_checkpoints: true });
  expect(stdout(await run(third, "cat a; stat -c %s big"))).toBe("theirs\n100000\n");
  expect(own()).toContain(base);
  await done(third, "destroy", { with_checkpoints: true });
  expect(own()).toEqual([]);
});

test("a fork knows the named checkpoints that it came with, and both compare with each other's by id", async () => {
  const [name, other] = [newName(), newName()];
  await run(name, "echo 1 > a");
  await done(name, "checkpoint", { name: "first" });
  await run(name, "echo 2 > a");
  await done(name, "fork", { into: other });
  await run(other, "echo 3 > b");
  await done(other, "checkpoint", { name: "theirs" });
  const [theirs] = await checkpoints(other);
  await run(name, "echo 4 > c");
  await done(name, "checkpoint", { name: "own" });
  const [own] = await checkpoints(name);
  expect(await done(other, "diff", { checkpoint: own?.["id"] })).toMatchObject({
    added: ["/workspace/b"],
    removed: ["/workspace/c"],
    changed: [],
  });
  expect((await act(name, "diff", { checkpoint: theirs?.["id"], to: "own", path: "b" })).text).toContain("-3\n");
  expect((await act(name, "diff", { checkpoint: "theirs" })).text).toContain('no checkpoint "theirs"');
  await done(name, "destroy", { with_checkpoints: true });
  expect((await checkpoints(other)).map((checkpoint) => checkpoint["name"])).toContain("first");
  await done(other, "restore", { checkpoint: "first" });
  expect(stdout(await run(other, "cat a; ls"))).toBe("1\na\n");
});

test("what nothing stands on is gone from the storage", async () => {
  const name = newName();
  const own = objectsFromNowOn();
  await run(name, "head -c 50000 /dev/urandom > a");
  await done(name, "checkpoint", { name: "one" });
  await run(name, "rm a");
  await done(name, "checkpoint", { name: "two" });
  expect(own()).toHaveLength(2);
  // The second stands on the first.
  await done(name, "delete_checkpoint", { checkpoint: "one" });
  expect(own()).toHaveLength(2);
  await done(name, "destroy", { with_checkpoints: true });
  expect(own()).toEqual([]);
});

test("a damaged checkpoint is never used: the one before it is, and the notice says so", async () => {
  const name = newName();
  const own = objectsFromNowOn();
  await run(name, "echo 1 > a");
  await done(name, "checkpoint", { name: "sound" });
  const before = own();
  await run(name, "echo 2 > a");
  await done(name, "checkpoint", { name: "damaged" });
  await done(name, "stop");
  damageObject(server, own().find((key) => !before.includes(key)) ?? "");
  const after = await run(name, "cat a");
  expect(stdout(after)).toBe("1\n");
  expect(notice(after)).toContain('"sound"');
  expect(notice(after)).toContain("is newer but could not be used: its hash is not the one that was stored");
  const restore = await act(name, "restore", { checkpoint: "damaged" });
  expect([restore.isError, restore.text]).toEqual([true, expect.stringContaining("cannot be used")]);
  expect(stdout(await run(name, "cat a"))).toBe("1\n");
});

test("where every checkpoint is damaged no machine pretends to have the files", async () => {
  const name = newName();
  const own = objectsFromNowOn();
  await run(name, "echo 1 > a");
  await done(name, "stop");
  for (const key of own()) damageObject(server, key);
  for (let tries = 0; tries < 2; tries += 1) {
    const refused = await client.call("exec", { sandbox: name, command: "ls" });
    expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining("its files could not be restored")]);
  }
});

test.each([
  ["restore", { checkpoint: "nowhere" }, 'no checkpoint "nowhere"'],
  ["delete_checkpoint", { checkpoint: "nowhere" }, 'no checkpoint "nowhere"'],
  ["diff", { checkpoint: "nowhere" }, 'no checkpoint "nowhere"'],
  ["fork", { checkpoint: "nowhere", into: "elsewhere" }, 'no checkpoint "nowhere"'],
  ["restore", {}, '"checkpoint" is missing'],
  ["fork", {}, '"into" is missing'],
  ["checkpoint", {}, "has not been used"],
])("%s %j is refused with what to do", async (action, input, words) => {
  const result = await act("untouched", action, input);
  expect([result.isError, result.text]).toEqual([true, expect.stringContaining(words)]);
});

test("a workspace that became a link is not stored, said so, and the machine stays up for it", async () => {
  const name = newName();
  const first = await run(name, "mkdir /tmp/w; rmdir /workspace && ln -s /tmp/w /workspace", { cwd: "/" });
  const refused = await act(name, "checkpoint", { name: "x" });
  expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining('"/workspace" is a symlink')]);
  const stop = await act(name, "stop");
  expect([stop.isError, stop.text]).toEqual([true, expect.stringContaining("is a symlink")]);
  const next = await run(name, "rm /workspace && mkdir /workspace && echo > /workspace/f", { cwd: "/" });
  // The notice comes with the first answer after the first automatic attempt, whichever that is.
  const said = [notice(first), refused.text, stop.text, notice(next)]
    .join("\n")
    .split("this is retried while the machine is up");
  expect(said).toHaveLength(2);
  await done(name, "stop");
});

test("a stop and a start of the server keep the files, also those of the last moment", async () => {
  const stateDir = mkdtempSync(join(tmpdir(), "sandbox-mcp-kept-"));
  try {
    const first = await startServer({ stateDir });
    const one = await connect("2026", first);
    await one.call("exec", { command: "echo early > a; sleep 1000 & echo", wait_ms: 1_000 });
    await one.call("exec", { command: "echo late > b" });
    await one.close();
    await first.stop();
    const second = await startServer({ stateDir });
    const two = await connect("2026", second);
    const result = await two.call("exec", { command: "cat a b" });
    expect(result.structured).toMatchObject({
      stdout: "early\nlate\n",
      notice: expect.stringContaining("Its files are as they were"),
    });
    await two.close();
    await second.stop();
  } finally {
    rmSync(stateDir, { recursive: true, force: true });
  }
});
