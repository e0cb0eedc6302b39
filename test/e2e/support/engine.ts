// The engine that the e2e tests run with: the built-in one, or the Docker daemon that `npm run test:docker` has found or started.

export const testEngine: "built-in" | "docker" = process.env["TEST_ENGINE"] === "docker" ? "docker" : "built-in";

/** The files of test/e2e that run with the built-in engine only, and why. */
export const BUILT_IN_ONLY: Readonly<Record<string, string>> = {
  "test/e2e/docker.test.ts": "its Docker daemon is the built-in engine",
  "test/e2e/egress/names.test.ts": "it tests the resolver of the built-in engine",
  "test/e2e/security/loopback.test.ts": "Docker's sidecar cannot name the host that workerd wants to be named",
};

/** The slow files of test/e2e that run with Docker too. */
export const SLOW_WITH_DOCKER = [
  "test/e2e/load.slow.test.ts",
  "test/e2e/exhausted.slow.test.ts",
  "test/e2e/egress/{clients,matrix,secrets}.slow.test.ts",
];

export const DOCKER_ONLY = "test/e2e/docker/**";
