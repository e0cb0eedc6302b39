// Asks the platform for a machine again while it says that it has none to give, and gives up at the first real fault.

import { limits } from "../../contract/limits.ts";
import { fail, type Result, succeed } from "../../contract/result.ts";

/**
 * Rejects with whatever `start` rejected with, unless that was a shortage. `giveUpAt` is epoch milliseconds, asked before each
 * pause: whoever joins the wait may have more patience.
 */
export async function startWithRetries(start: () => Promise<void>, giveUpAt: () => number): Promise<Result<null>> {
  for (let pauseMs: number = limits.startRetryMinMs; ; pauseMs = Math.min(2 * pauseMs, limits.startRetryMaxMs)) {
    try {
      await start();
      return succeed(null);
    } catch (error) {
      if (!isShortage(error)) throw error;
      // Spread out, or all who were refused at once come back at once.
      const wait = pauseMs * (0.75 + Math.random() / 2);
      if (Date.now() + wait > giveUpAt()) return noneFree();
      console.warn(`The platform has no machine to give; asked again in ${Math.round(wait)} ms`);
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}

const noneFree = (): Result<never> =>
  fail({
    reason: "machine_unavailable",
    message: "the platform has none to give at the moment, and was asked several times",
    retry_after_ms: limits.startRetryLaterMs,
  });

/** The platform's own words; it has no error codes for these. */
const shortages = [
  "there is no container instance that can be provided",
  "requesting too many containers per second",
  "maximum number of running container instances",
];

function isShortage(error: unknown): boolean {
  const message = (error instanceof Error ? error.message : String(error)).toLowerCase();
  return shortages.some((words) => message.includes(words));
}
