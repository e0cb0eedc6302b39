// A runner with a temporary workspace and home, which can lose everything as a machine does, and its checkpoints.

import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CheckpointCreateResult } from "../../../src/contract/checkpoint-create.ts";
import { LayerUploadResult, STREAM_PATHS } from "../../../src/contract/checkpoint-layer.ts";
import type { CheckpointRestoreResult } from "../../../src/contract/checkpoint-restore.ts";
import { type Result, resultOf } from "../../../src/contract/result.ts";
import { type RunnerUnderTest, startRunner, unwrap } from "../runner-under-test.ts";

export interface Layer {
  id: string;
  made: CheckpointCreateResult;
  manifestBytes: number;
  sha256: string;
  bytes: Buffer;
}

export interface MachineUnderTest {
  readonly workspace: string;
  readonly home: string;
  readonly root: string;
  readonly runner: RunnerUnderTest;
  /** Runs a script in the workspace, without the runner. */
  sh(script: string): string;
  create(parents: readonly string[]): Promise<Result<CheckpointCreateResult>>;
  /** Creates, fetches and confirms a checkpoint after those of the chain, newest first. Null when nothing changed. */
  take(parents: readonly string[]): Promise<Layer | null>;
  /** Removes everything in the machine. The runner keeps running, because starting it takes most of the time. */
  renew(): void;
  send(session: string, layer: Layer): Promise<Result<LayerUploadResult>>;
  restore(layers: readonly Layer[]): Promise<CheckpointRestoreResult>;
  /** Each entry with everything that a restore must bring back, sorted. */
  tree(): string[];
  stop(): Promise<void>;
}

export async function machineUnderTest(): Promise<MachineUnderTest> {
  const root = mkdtempSync(join(tmpdir(), "kept-"));
  const [workspace, home, state] = ["workspace", "home", "state"].map((name) => join(root, name));
  if (workspace === undefined || home === undefined || state === undefined) throw new Error("unreachable");
  for (const path of [workspace, home]) mkdirSync(path, { mode: 0o755 });
  const directories = { RUNNER_WORKSPACE: workspace, RUNNER_HOME: home, RUNNER_STATE_DIRECTORY: state };
  const machine: MachineUnderTest = {
    root,
    workspace,
    home,
    runner: await startRunner({ env: { ...directories, RUNNER_LOG_DIRECTORY: join(root, "log") } }),
    sh: (script) => execFileSync("bash", ["-ec", script], { cwd: workspace, encoding: "latin1", env: process.env }),
    create: (parents) =>
      machine.runner.call("checkpoint-create", { id: randomUUID(), parents: [...parents], more: [] }),
    async take(parents) {
      const id = randomUUID();
      const made = unwrap(await machine.runner.call("checkpoint-create", { id, parents: [...parents], more: [] }));
      if (made.archive === null) return null;
      const bytes = Buffer.from(await (await fetch(at(machine, STREAM_PATHS.archive, { id }))).arrayBuffer());
      unwrap(await machine.runner.call("checkpoint-done", { id, keep: [id], chain: [...parents] }));
      return { id, made, bytes, sha256: made.archive.sha256, manifestBytes: made.archive.manifest_bytes };
    },
    renew() {
      for (const path of [workspace, home, state]) rmSync(path, { recursive: true, force: true, maxRetries: 10 });
      for (const path of [workspace, home]) mkdirSync(path, { mode: 0o755 });
    },
    async send(session, { id, manifestBytes, sha256, bytes }) {
      const url = at(machine, STREAM_PATHS.layer, { session, id, manifest_bytes: manifestBytes, sha256 });
      const response = await fetch(url, { method: "PUT", body: new Uint8Array(bytes) });
      return resultOf(LayerUploadResult).parse(await response.json());
    },
    async restore(layers) {
      const session = randomUUID();
      for (const layer of layers) {
        const sent = unwrap(await machine.send(session, layer));
        if (sent.damage !== null || sent.trouble !== "") throw new Error(JSON.stringify(sent));
      }
      const request = { session, layers: layers.map(({ id }) => id), more: [] };
      return unwrap(await machine.runner.call("checkpoint-restore", request));
    },
    tree: () => treeOf(workspace, home),
    async stop() {
      await machine.runner.stop();
      rmSync(root, { recursive: true, force: true, maxRetries: 10 });
    },
  };
  return machine;
}

const at = ({ runner }: MachineUnderTest, path: string, query: Record<string, string | number>): string => {
  const url = new URL(path, runner.url);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  return url.href;
};

/** Leaves out the sizes of directories, which may differ. Lists which files share an inode, to compare hard links. */
function treeOf(...paths: string[]): string[] {
  const script =
    'for root; do cd "$root"; find . -printf "%p %y %m %T@ %s %n %U %G -> %l\\0" | sed -z -E "s/^(.* d [0-7]+ [0-9.]+) [0-9]+/\\1/"; ' +
    'find . -type f -print0 | sort -z | xargs -0r sha256sum -z; find . -type f -links +1 -printf "%i %p\\0" | sort -z | ' +
    'awk -v RS="\\0" -v ORS="\\0" "{i=\\$1; sub(/^[0-9]+ /,\\"\\"); if(i!=l){n++;l=i}; print \\"link\\", \\$0}"; done';
  const out = execFileSync("bash", ["-ec", script, "bash", ...paths], { encoding: "latin1", maxBuffer: 1 << 28 });
  return out.split("\0").sort();
}
