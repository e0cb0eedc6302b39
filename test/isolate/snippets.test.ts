// Code as models write it, from an expression to a module, and the exact answer to each.

import { afterAll, beforeAll, expect, test } from "vitest";
import { snippets } from "./fixture/snippets.ts";
import { type Fixture, startFixture } from "./fixture/start.ts";

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

test.each(snippets)("run_js() answers %s", async (_title, code, expected) => {
  const { text: _text, isError, calls, ...answer } = await fixture.run({ code });
  expect({ ...answer, calls, isError }).toEqual({ logs: "", ...expected, calls: [], isError: false });
});
