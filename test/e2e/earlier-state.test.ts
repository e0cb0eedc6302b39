// State that earlier releases wrote (test/fixture/state) is opened by the current server, and everything in it is found again.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fetchPreview } from "./previews/preview-client.ts";
import { connect, type McpClient } from "./support/clients.ts";
import { removeState, type Server, startServer } from "./support/start-server.ts";

const directory = join(import.meta.dirname, "../fixture/state");
const archives = readdirSync(directory).filter((name) => name.endsWith(".tar.gz"));

test("there is an archive of a release", () => {
  expect(archives).toContain("state-0.1.0.tar.gz");
});

describe.each(archives)("the server on %s", (archive) => {
  let stateDir = "";
  let server: Server;
  let client: McpClient;
  let previewToken = "";
  let egressLog = "";

  beforeAll(async () => {
    stateDir = mkdtempSync(join(tmpdir(), "earlier-state-"));
    execFileSync("tar", ["-xzf", join(directory, archive), "-C", stateDir, "--no-same-owner"]);
    previewToken = readPreviewToken(stateDir);
    egressLog = readFileSync(join(stateDir, "egress.jsonl"), "utf8");
    server = await startServer({ stateDir, env: { SANDBOX_MCP_KEY: "" } });
    // The key of the archive: with another, nothing here would be answered.
    client = await connect("2026", { url: server.url, key: readFileSync(join(stateDir, "key"), "utf8").trim() });
  });

  afterAll(async () => {
    await client?.close();
    await server?.stop();
    removeState(stateDir);
  });

  const call = async (tool: string, input: Record<string, unknown>) => {
    const result = await client.call(tool, input);
    expect([result.isError, result.text]).toEqual([false, expect.any(String)]);
    return result.structured ?? {};
  };
  const stdout = async (command: string, sandbox = "default") => (await call("exec", { command, sandbox }))["stdout"];

  // First, while no machine of the sandboxes is up.
  test("lists the sandboxes, the settings and the preview", async () => {
    const { sandboxes } = await call("sandbox", { action: "list" });
    expect(records(sandboxes).map(({ name, state }) => [name, state])).toEqual(
      ["default", "forked", "other"].map((name) => [name, "asleep"]),
    );
    const { settings, previews } = await call("sandbox", { action: "status" });
    expect(Object.fromEntries(records(settings).map(({ name, value }) => [name, value]))).toMatchObject({
      egress: "none",
      allow: "allowed.example, *.allowed.example",
      deny: "denied.allowed.example",
      "env COLOR": "green",
      sleep_after: expect.stringMatching(/^20 min/),
    });
    expect(previews).toMatchObject([{ port: 8000, wake: true, command: "python3 -m http.server 8000" }]);
    expect(String(records(previews)[0]?.["url"])).toContain(`//8000-${previewToken}.localhost:`);
  });

  test("lists the checkpoints and compares two of them", async () => {
    const { checkpoints } = await call("sandbox", { action: "checkpoints" });
    expect(records(checkpoints).map(({ kind, name, files, added }) => [kind, name, files, added])).toEqual([
      ["automatic", undefined, 7, 1],
      ["automatic", undefined, 6, 0],
      ["named", "second", 6, 1],
      ["named", "first", 6, 6],
    ]);
    expect(await call("sandbox", { action: "diff", checkpoint: "first", to: "second" })).toMatchObject({
      added: ["/workspace/new"],
      changed: ["/workspace/numbers"],
      removed: ["/workspace/gone"],
    });
  });

  test("says of the processes that their machine was restarted, and repeats none", async () => {
    for (const process_id of ["finished", "server"]) {
      const read = await client.call("process", { action: "read", process_id });
      expect([read.isError, read.text]).toEqual([true, expect.stringContaining(`process "${process_id}" was lost`)]);
    }
    const repeated = await client.call("exec", { command: "echo ran >> runs; sleep 0.1", process_id: "finished" });
    expect([repeated.isError, repeated.text]).toEqual([true, expect.stringContaining("restarted")]);
  });

  test("starts machines with the files of each sandbox", async () => {
    expect(
      await stdout("cat numbers new runs ~/notes/todo src/index.ts; stat -c %a src; readlink link; echo $COLOR"),
    ).toBe("1\n2\n3\n4\nfive\n6\n7\n8\n9\nlate\nnew\nran\nhome\nexport {};\n750\nnumbers\ngreen\n");
    expect(await stdout("ls; cat own; sed -n 5p numbers", "forked")).toBe(
      "gone\nlink\nnumbers\nown\nrandom\nsrc\nown\n5\n",
    );
    expect(await stdout("cat other ~/other", "other")).toBe("other\nhome\n");
  });

  test("keeps the values of run_js", async () => {
    const { value } = await call("run_js", { code: '[await state.get("settings"), await state.get("count")]' });
    expect(value).toEqual([{ theme: "dark", tabs: [1, 2] }, 3]);
  });

  test("answers at the preview's URL", async () => {
    const { port } = new URL(server.origin);
    const url = `http://8000-${previewToken}.localhost:${port}/new`;
    await expect.poll(async () => (await fetchPreview(url)).body).toBe("new\n");
  });

  test("refuses what the settings deny, and appends it to the log", async () => {
    await stdout("curl -s -m 5 http://refused.example/");
    await expect
      .poll(() => readFileSync(join(stateDir, "egress.jsonl"), "utf8").slice(egressLog.length))
      .toContain('"refused.example"');
    expect(readFileSync(join(stateDir, "egress.jsonl"), "utf8").startsWith(egressLog)).toBe(true);
  });

  test("restores a checkpoint and undoes it", async () => {
    const { before } = await call("sandbox", { action: "restore", checkpoint: "first" });
    expect(await stdout("ls; sed -n 5p numbers")).toBe("gone\nlink\nnumbers\nrandom\nsrc\n5\n");
    await call("sandbox", { action: "restore", checkpoint: Object(before).id });
    expect(await stdout("ls; sed -n 5p numbers")).toBe("link\nnew\nnumbers\nrandom\nruns\nsrc\nfive\n");
  });
});

const records = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value : []);

/** As the sandbox keeps it. */
function readPreviewToken(stateDir: string): string {
  const objects = join(stateDir, "state/v3/do/sandbox-mcp-SandboxObject");
  for (const name of readdirSync(objects)) {
    const database = new DatabaseSync(join(objects, name));
    const table = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'previews'").get();
    const row = table === undefined ? undefined : database.prepare("SELECT token FROM previews").get();
    database.close();
    if (row !== undefined) return String(row["token"]);
  }
  throw new Error("no preview in the archive");
}
