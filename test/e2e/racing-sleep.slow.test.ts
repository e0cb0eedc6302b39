// Calls that come just when their machine falls asleep: each is served, by the machine that stays or by the next one.

import { expect, test } from "vitest";
import { connect } from "./support/clients.ts";
import { startServer } from "./support/start-server.ts";

const sandboxes = 8;
const racesOfEach = 25;

test("200 calls racing the sleep are all served", async () => {
  const server = await startServer({ env: { SLEEP_AFTER: "1s" } });
  const client = await connect("2026", server);
  const outcomes = { stayed: 0, restarted: 0 };
  const race = async (sandbox: string) => {
    await client.call("exec", { sandbox, command: "true" });
    for (let count = 0; count < racesOfEach; count += 1) {
      // The machine falls asleep somewhere within this spread: a second after the last call, and later on a busy machine.
      await new Promise((resolve) => setTimeout(resolve, 900 + Math.random() * 1_200));
      const { structured, text, isError } = await client.call("exec", { sandbox, command: `echo ${count}` });
      expect([isError, structured?.["stdout"]], text).toEqual([false, `${count}\n`]);
      outcomes[structured?.["notice"] === undefined ? "stayed" : "restarted"] += 1;
    }
  };
  await Promise.all(Array.from({ length: sandboxes }, (_, index) => race(`race-${index}`)));
  await client.close();
  await server.stop();
  // Else it was no race.
  expect(outcomes.stayed).toBeGreaterThan(10);
  expect(outcomes.restarted).toBeGreaterThan(10);
  console.log(outcomes);
});
