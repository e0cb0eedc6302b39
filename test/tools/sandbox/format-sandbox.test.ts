// What the status of a sandbox says about a machine that is confined less than it could be.

import { expect, test } from "vitest";
import type { SandboxDetails } from "../../../src/sandbox/admin-actions.ts";
import { formatDetails, structureDetails } from "../../../tools/sandbox/format-sandbox.ts";

const view = { now: 1_000_000, previewUrl: null };
const details: SandboxDetails = {
  ...{
    name: "a",
    state: "awake",
    is_responding: true,
    created_at: 0,
    last_used_at: 0,
    disk_bytes: null,
    checkpoint_at: null,
    running_processes: 0,
  },
  ...{ previews: [], disk: null, gaps: [], hosts: [], settings: [] },
  files: { unsaved_since: null, next_at: null, is_storing: false, problem: null },
};

test("formatDetails() says which gaps a machine has, and nothing when it has none", () => {
  const before = formatDetails(details, view);
  expect(formatDetails({ ...details, gaps: ["system_calls", "memory"] }, view)).toBe(
    [
      before,
      "The system calls of this machine are not filtered: install perl on the host, then start the server again; its first lines say more.",
      "Memory is limited for each process of this machine, and shared memory is not: the host lets the engine make no control group.",
    ].join("\n"),
  );
});

test("structureDetails() has the gaps only when there are any", () => {
  expect(structureDetails(details, view)).not.toHaveProperty("gaps");
  expect(structureDetails({ ...details, gaps: ["memory"] }, view)).toMatchObject({ gaps: ["memory"] });
});
