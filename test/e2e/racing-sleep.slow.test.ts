// Calls that come just when their machine falls asleep: each is served, by the machine that stays or by the next one.

import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { connect } from "./support/clients.ts";
import { startServer } from "./support/start-server.ts";

const SANDBOXES = 8;
const RACES_OF_EACH = 25;
/** Each race comes this much later than one whose machine had stayed, and earlier than one whose machine had slept. */
const STEP_MS = 100;

test("200 calls racing the sleep are all served", async () => {
  const server = await startServer({ env: { SLEEP_AFTER: "1s" } });
  const client = await connect("2026", server);
  const outcomes = { stayed: 0, restarted: 0 };
  const race = async (sandbox: string) => {
    await client.call("exec", { sandbox, command: "true" });
    // When a machine falls asleep depends on how busy the host is, so each race looks for the moment from where the last one was.
    let pauseMs = 1_000;
    for (let count = 0; count < RACES_OF_EACH; count += 1) {
      await delay(pauseMs + Math.random() * STEP_MS);
      const { structured, text, isError } = await client.call("exec", { sandbox, command: `echo ${count}` });
      expect([isError, structured?.["stdout"]], text).toEqual([false, `${count}\n`]);
      const hasStayed = structured?.["notice"] === undefined;
      outcomes[hasStayed ? "stayed" : "restarted"] += 1;
      pauseMs = Math.max(500, pauseMs + (hasStayed ? STEP_MS : -STEP_MS));
    }
  };
  await Promise.all(Array.from({ length: SANDBOXES }, (_, index) => race(`race-${index}`)));
  await client.close();
  await server.stop();
  console.log(outcomes);
  // Else it was no race.
  expect(outcomes.stayed).toBeGreaterThan(10);
  expect(outcomes.restarted).toBeGreaterThan(10);
});
