// Node reads the certificates of NODE_EXTRA_CA_CERTS in another thread. Closing that thread's descriptor would end the process, or
// have it read another file.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { afterAll, expect, test } from "vitest";

const directory = mkdtempSync(join(tmpdir(), "close-inherited-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const RUNS = 20;
const file = join(import.meta.dirname, "../../container/engine/close-inherited.ts");
const program = `
import ${JSON.stringify(file)};
import { readFileSync } from "node:fs";
import "node:tls";
for (let n = 0; n < 50; n += 1) readFileSync("/etc/passwd");`;

test("a process with further certificates starts, and reads them, every time", () => {
  const bundle = join(directory, "bundle.pem");
  writeFileSync(bundle, rootCertificates.join("\n"));
  const script = join(directory, "start.mjs");
  writeFileSync(script, program);
  const ends = Array.from({ length: RUNS }, () => {
    const { status, stderr } = spawnSync(process.execPath, [script], {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: bundle },
      encoding: "utf8",
    });
    return { status, stderr };
  });
  expect(ends).toEqual(Array(RUNS).fill({ status: 0, stderr: "" }));
});
