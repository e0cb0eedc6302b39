// The sandbox tool on sandboxes as a whole: what there is, how it is set up, and what one may have.

import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { connect, eras, type McpClient } from "./support/clients.ts";
import { type Server, startServer } from "./support/start-server.ts";

const { url, key, otherKey, readKey } = inject("server");

describe.each(eras)("a client of %s", (era) => {
  let client: McpClient;
  const sandbox = `care-${era}`;
  const call = (input: Record<string, unknown>) => client.call("sandbox", { sandbox, ...input });
  const exec = async (command: string, env = {}) =>
    (await client.call("exec", { sandbox, command, env })).structured?.["stdout"];

  beforeAll(async () => {
    client = await connect(era, { url, key });
  });
  afterAll(() => client.close());

  test("status tells of a sandbox that does not exist, and makes none", async () => {
    const { text, structured } = await call({ action: "status", sandbox: `${sandbox}-none` });
    expect(text).toBe(`There is no sandbox "${sandbox}-none" yet. The first exec in it creates it.`);
    expect(structured).toMatchObject({ state: "absent", previews: [] });
    expect((await call({ action: "list" })).text).not.toContain(`${sandbox}-none`);
  });

  test("status tells of one that does, in words and as structure", async () => {
    await exec("head -c 5000000 /dev/urandom > five-megabytes; sleep 1000 & echo");
    const { text, structured } = await call({ action: "status" });
    expect(text.split("\n").slice(0, 4)).toEqual([
      expect.stringMatching(
        /^care-\d+: awake; last used (just now|\d+ s ago), created (just now|\d+ s ago), 4\.8 MiB on disk, .*1 running process\.$/,
      ),
      expect.stringMatching(/^Disk of the machine: .* used, .* files\.$/),
      expect.stringMatching(
        /^(There are unsaved changes, the first from .*; the next checkpoint is|The next checkpoint, .* is|A checkpoint is being taken)/,
      ),
      "Settings:",
    ]);
    expect(structured).toMatchObject({
      name: sandbox,
      state: "awake",
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      disk_bytes: expect.any(Number),
      running_processes: 1,
    });
  });

  test("configure keeps variables beyond the machine, and shows no secret", async () => {
    const { text } = await call({
      action: "configure",
      env: { MODE: "blue", GONE: "x", API_TOKEN: "t0p", DATABASE: "postgres://u:pw@db/x", COUNT: 3 },
    });
    expect(text).toContain("- env MODE: blue\n");
    expect(text).toContain("- env API_TOKEN (not shown, it looks like a secret)");
    expect(text).not.toMatch(/t0p|:pw@/);
    await call({ action: "configure", env: '{"GONE":null}' });
    await call({ action: "stop" });
    expect(await exec('echo "$MODE $API_TOKEN $COUNT [$GONE]"')).toBe("blue t0p 3 []\n");
    expect(await exec("echo $MODE", { MODE: "own" })).toBe("own\n");
  });

  test("configure does not stand between a repeated call and its process", async () => {
    const repeated = { sandbox, command: "echo $MODE; sleep 1", process_id: `once-${era}` };
    await client.call("exec", { ...repeated, wait_ms: 100 });
    await call({ action: "configure", env: { MODE: "green" } });
    expect((await client.call("exec", repeated)).structured).toMatchObject({ attached: true, stdout: "blue\n" });
  });

  test.each<[string, Record<string, unknown>, RegExp]>([
    ["nothing to configure", { action: "configure" }, /needs "env", "sleep_after", "egress", "allow" or "deny"/],
    ["a sleep time that is none", { action: "configure", sleep_after: "soon" }, /from 10 s to 4 h, or "default"/],
    ["a sleep time too long", { action: "configure", sleep_after: "9h" }, /sleep_after is "9h"/],
    ["a name that is none", { action: "configure", env: { "A-B": "x" } }, /env has the name "A-B"/],
    ["a value that is none", { action: "configure", env: { A: { b: 1 } } }, /env "A" must be a string, or null/],
    [
      "too large an environment",
      { action: "configure", env: { A: "x".repeat(70_000) } },
      /The environment is 70,0\d\d bytes/,
    ],
    ["destroy without a name", { action: "destroy", sandbox: null }, /destroy needs the name/],
    ["an unknown action", { action: "explode" }, /Argument "action"/],
    ["an unknown argument", { action: "status", size: "large" }, /Unknown argument "size"/],
  ])("refuses %s in words", async (_, input, words) => {
    const { isError, text } = await call(input);
    expect([isError, text]).toEqual([true, expect.stringMatching(words)]);
  });

  test("sleep_after is shown, bounded, and goes back to the default", async () => {
    expect((await call({ action: "configure", sleep_after: "20m" })).text).toContain("- sleep_after: 20 min");
    expect((await call({ action: "configure", sleep_after: "default" })).text).toContain("- sleep_after: 10 min");
  });

  test("sleep_after holds for the machine that is up", async () => {
    const napper = `${sandbox}-nap`;
    await client.call("exec", { sandbox: napper, command: "true" });
    await call({ action: "configure", sandbox: napper, sleep_after: "10s" });
    // Asking how it is does not keep it awake.
    const state = async () => (await call({ action: "status", sandbox: napper })).structured?.["state"];
    expect(await state()).toBe("awake");
    await expect.poll(state, { interval: 1_000 }).toBe("asleep");
  });

  test("stop ends what runs and says how much, and is content to find it asleep", async () => {
    await exec("sleep 1000 & echo");
    expect((await call({ action: "stop" })).text).toMatch(
      /^care-\d+ is asleep now; \d running process(es)? ended with it/,
    );
    expect((await call({ action: "stop" })).text).toMatch(/^care-\d+ was asleep already\.$/);
    expect((await call({ action: "list" })).text).toMatch(new RegExp(`^${sandbox}: asleep;`, "m"));
  });

  test("destroy leaves nothing of it", async () => {
    await exec("echo x > file");
    await call({ action: "expose", port: 4000 });
    expect((await call({ action: "destroy", with_checkpoints: true })).text).toMatch(
      /^care-\d+ is destroyed: nothing was running in it, 1 preview removed, settings deleted\. Its checkpoints are deleted\.$/,
    );
    expect((await call({ action: "list" })).text).not.toContain(`${sandbox}:`);
    const again = await client.call("exec", { sandbox, command: 'ls; echo "[$MODE]"' });
    expect(again.structured).toMatchObject({ stdout: "[]\n", notice: expect.stringContaining("is new") });
    expect((await call({ action: "status" })).structured).toMatchObject({ previews: [] });
  });
});

describe("scopes", () => {
  test("a reader sees the reading actions only, marked as such", async () => {
    const client = await connect("2026", { url, key: readKey });
    const tool = (await client.listTools()).find(({ name }) => name === "sandbox");
    expect(tool).toMatchObject({
      annotations: { readOnlyHint: true, destructiveHint: false },
      inputSchema: { properties: { action: { enum: ["status", "list", "checkpoints", "diff"] } } },
    });
    const { isError } = await client.call("sandbox", { action: "destroy", sandbox: "default" });
    expect(isError).toBe(true);
    await client.close();
  });
});

test("two principals with a sandbox of the same name have nothing in common", async () => {
  const mine = await connect("2026", { url, key });
  const theirs = await connect("2026", { url, key: otherKey });
  const sandbox = "same-name";
  await mine.call("exec", { sandbox, command: "echo mine > file" });
  await mine.call("sandbox", { action: "configure", sandbox, env: { WHOSE: "mine" } });
  const other = await theirs.call("exec", { sandbox, command: "ls; echo [$WHOSE]" });
  expect(other.structured).toMatchObject({ stdout: "[]\n" });
  await theirs.call("sandbox", { action: "destroy", sandbox, with_checkpoints: true });
  const still = await mine.call("exec", { sandbox, command: "cat file; echo $WHOSE" });
  expect(still.structured).toMatchObject({ stdout: "mine\nmine\n" });
  expect(still.structured).not.toHaveProperty("notice");
  await Promise.all([mine.close(), theirs.close()]);
});

describe("quotas", () => {
  let server: Server;
  let client: McpClient;
  const exec = (sandbox: string, command: string, more = {}) => client.call("exec", { sandbox, command, ...more });
  const states = async () => {
    const { structured } = await client.call("sandbox", { action: "list" });
    const rows: unknown = structured?.["sandboxes"];
    return Object.fromEntries((Array.isArray(rows) ? rows : []).map((row) => [row.name, row.state]));
  };
  beforeAll(async () => {
    server = await startServer({ env: { MAX_SANDBOXES: "4", MAX_AWAKE: "2" } });
    client = await connect("2026", server);
  });
  afterAll(async () => {
    await client.close();
    await server.stop();
  });

  test("the least recently used idle machine sleeps to make room, busy ones never", async () => {
    await exec("a", "true");
    await exec("b", "true");
    await exec("a", "true");
    expect((await exec("c", "true")).isError).toBe(false);
    expect(await states()).toEqual({ a: "awake", b: "asleep", c: "awake" });
    // A running process is work, however long ago the last call was.
    await exec("a", "sleep 1000", { background: true });
    await exec("c", "true");
    await exec("b", "true");
    expect(await states()).toEqual({ a: "awake", b: "awake", c: "asleep" });
  });

  test("with all of them busy the answer says which, and what to do", async () => {
    await exec("b", "sleep 1000", { background: true });
    const { isError, text } = await exec("c", "true");
    expect(isError).toBe(true);
    expect(text).toBe(
      'There may be at most 2 sandboxes awake at once. All of these are busy: a, b. Wait until one has nothing to do, or stop one with sandbox {action: "stop", sandbox: "…"}.',
    );
    await client.call("sandbox", { action: "stop", sandbox: "a" });
    expect((await exec("c", "echo up")).structured).toMatchObject({ stdout: "up\n" });
  });

  test("a call in progress is work too, and calls at once do not pass the quota together", async () => {
    await client.call("sandbox", { action: "stop", sandbox: "b" });
    const slow = exec("c", "sleep 3; echo done");
    const more = await Promise.all([exec("a", "sleep 1; echo a"), exec("b", "sleep 1; echo b")]);
    expect(more.map(({ isError }) => isError).toSorted()).toEqual([false, true]);
    expect((await slow).structured).toMatchObject({ stdout: "done\n" });
  });

  test("there may be only so many sandboxes, until one is destroyed", async () => {
    await client.call("sandbox", { action: "configure", sandbox: "d", env: { A: "x" } });
    const { text } = await exec("e", "true");
    expect(text).toMatch(/^There may be at most 4 sandboxes\. sandbox \{action: "list"\} shows them/);
    expect((await client.call("sandbox", { action: "expose", sandbox: "e", port: 80 })).isError).toBe(true);
    await client.call("sandbox", { action: "destroy", sandbox: "d" });
    expect((await exec("e", "echo new")).structured).toMatchObject({ stdout: "new\n" });
  });
});
