// Which environment variables are shown back, and which look like secrets.

import { expect, test } from "vitest";
import { looksSecret } from "../../../src/sandbox/settings/environment.ts";

test.each([
  ["NODE_ENV", "production", false],
  ["PORT", "3000", false],
  ["DEBUG", "app:*", false],
  ["DATABASE_URL", "postgres://localhost/db", false],
  ["DATABASE_URL", "postgres://user:secret@localhost/db", true],
  ["PATH_PREFIX", "/opt", false],
  ["GITHUB_PAT", "x", true],
  ["OPENAI_API_KEY", "x", true],
  ["aws_secret_access_key", "x", true],
  ["DB_PASSWORD", "x", true],
  ["SENTRY_DSN", "x", true],
  ["WHATEVER", "ghp_0123456789", true],
  ["WHATEVER", "sk-ant-0123", true],
  ["WHATEVER", "eyJhbGciOiJIUzI1NiJ9.e30.x", true],
  ["WHATEVER", "-----BEGIN PRIVATE KEY-----\nx", true],
])("looksSecret(%j, %j) is %j", (name, value, expected) => {
  expect(looksSecret(name, value)).toBe(expected);
});
