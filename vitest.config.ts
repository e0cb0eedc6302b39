import { dirname } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { configDefaults, defineConfig } from "vitest/config";
import { BUILT_IN_ONLY, DOCKER_ONLY, SLOW_WITH_DOCKER, testEngine } from "./test/e2e/support/engine.ts";

const slow = "test/**/*.slow.test.ts";
// The runner's own tests run on the host, which may have no ripgrep; in a machine the engine sees to it.
process.env["PATH"] = `${process.env["PATH"]}:${dirname(rgPath)}`;

// Tests wait for conditions; these bounds only end one that never comes, also where other work keeps the cores busy.
const timeouts = { testTimeout: 180_000, hookTimeout: 180_000, expect: { poll: { timeout: 60_000 } } };

// `npm test` runs unit and e2e, and `npm run test:docker` e2e with another engine. `npm run test:slow` runs slow, one file after
// another, because some of its files use up the machine.
export default defineConfig({
  test: {
    // Most of the time goes into waiting for machines, so two cores take more than two files at once.
    maxWorkers: 3,
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: [...configDefaults.exclude, "test/e2e/**", slow],
          ...timeouts,
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/!(*.slow).test.ts", ...(testEngine === "docker" ? SLOW_WITH_DOCKER : [])],
          exclude: [
            ...configDefaults.exclude,
            ...(testEngine === "docker" ? Object.keys(BUILT_IN_ONLY) : [DOCKER_ONLY]),
          ],
          globalSetup: ["test/e2e/support/shared-server.ts"],
          ...timeouts,
        },
      },
      { test: { name: "slow", include: [slow], ...timeouts, testTimeout: 600_000 } },
    ],
  },
});
