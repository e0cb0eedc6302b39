// Twenty stops in a row, in every way in which a person ends `npm start`.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { removeState } from "./support/start-server.ts";
import { expectFilesKept, stops } from "./support/stops-in-terminal.ts";

const ROUNDS = 5;

test("a file that was written just before is there after each of 20 stops", async ({ onTestFinished }) => {
  const stateDir = mkdtempSync(join(tmpdir(), "sandbox-mcp-stops-"));
  onTestFinished(() => removeState(stateDir));
  const kinds = Object.keys(stops);
  await expectFilesKept(stateDir, Array.from({ length: ROUNDS }, () => kinds).flat());
  expect(ROUNDS * kinds.length).toBe(20);
});
