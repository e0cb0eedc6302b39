// One server for all e2e tests that do not stop or break the server itself. Each key belongs to a principal of its own.

import type { TestProject } from "vitest/node";
import { startServer } from "./start-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    server: { url: string; origin: string; key: string; otherKey: string; readKey: string };
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const otherKey = "other-key-0123456789";
  const readKey = "read-key-0123456789";
  const server = await startServer({ env: { ACCESS_KEYS: `other:${otherKey} reader:${readKey}:read` } });
  project.provide("server", { url: server.url, origin: server.origin, key: server.key, otherKey, readKey });
  return async () => {
    await server.stop();
  };
}
