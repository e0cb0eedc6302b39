// Starts a machine, and tries again while the platform says that it has none to give.

import { limits } from "../../contract/limits.ts";
import { fail, type Result, succeed } from "../../contract/result.ts";
import { pause } from "../pause.ts";
import type { MachinePlatform } from "./machine-platform.ts";

/**
 * A failure when the platform had no machine until `giveUpAt()`, or could not start one. `giveUpAt` answers epoch milliseconds and
 * is asked before each pause, because a caller who joins the wait may have more patience.
 */
export async function startWithRetries(
  platform: Pick<MachinePlatform, "start">,
  giveUpAt: () => number,
): Promise<Result<null>> {
  for (let pauseMs: number = limits.startRetryMinMs; ; pauseMs = Math.min(2 * pauseMs, limits.startRetryMaxMs)) {
    const error = await errorOf(platform.start());
    if (error === null) return succeed(null);
    if (!isShortage(error)) {
      console.error("The machine did not start:", error.reason);
      return fail({ reason: "machine_unavailable", message: "it did not start", retry_after_ms: 5_000 });
    }
    // Callers that were refused at the same moment must not all come back at the same moment.
    const wait = pauseMs * (0.75 + Math.random() / 2);
    if (Date.now() + wait > giveUpAt()) return noneFree();
    console.warn(`The platform has no machine to give; trying again in ${Math.round(wait)} ms`);
    await pause(wait);
  }
}

/** Whatever the platform rejects with is a fault of the platform. */
const errorOf = (started: Promise<void>): Promise<{ reason: unknown } | null> =>
  started.then(
    () => null,
    (reason: unknown) => ({ reason }),
  );

const noneFree = (): Result<never> =>
  fail({
    reason: "machine_unavailable",
    message: "the platform has none to give at the moment, and was asked several times",
    retry_after_ms: limits.startRetryLaterMs,
  });

/** Parts of the platform's messages, because it has no error codes for these. */
const SHORTAGES = [
  "there is no container instance that can be provided",
  "requesting too many containers per second",
  "maximum number of running container instances",
];

function isShortage({ reason }: { reason: unknown }): boolean {
  const message = (reason instanceof Error ? reason.message : String(reason)).toLowerCase();
  return SHORTAGES.some((part) => message.includes(part));
}
