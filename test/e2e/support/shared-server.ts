// One server for all e2e tests that do not stop or break the server itself. Each key belongs to a principal of its own.

import type { TestProject } from "vitest/node";
import { startServer } from "./start-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    server: { url: string; origin: string; key: string; otherKey: string; readKey: string };
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const otherKey = "other-key-0123456789abcd";
  const readKey = "read-key-0123456789abcd";
  const server = await startServer({ env: { ACCESS_KEYS: `other:${otherKey} reader:${readKey}:read` } });
  project.provide("server", { url: server.url, origin: server.origin, key: server.key, otherKey, readKey });
  return async () => {
    await server.stop();
    // Tests that fail because the server was restarted under them say no more than that a connection broke.
    const restarts = server.output().match(/^.*(did not answer|starting everything again).*$/gm) ?? [];
    for (const line of restarts) console.error(`The shared server was restarted: ${line}`);
  };
}
