// Starts a machine, and retries while the platform reports that none is available.

import { limits } from "../../contract/limits.ts";
import { fail, type Result, succeed } from "../../contract/result.ts";
import { pause } from "../pause.ts";
import type { MachinePlatform } from "./machine-platform.ts";

/**
 * Fails when no machine was available until `giveUpAt()`, or when one could not be started. `giveUpAt` returns epoch milliseconds
 * and is called before each pause, because a caller that joins the wait may wait longer.
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
    // Jitter: callers that were refused at the same time must not all retry at the same time.
    const wait = pauseMs * (0.75 + Math.random() / 2);
    if (Date.now() + wait > giveUpAt()) return noneFree();
    console.warn(`The platform has no machine available; trying again in ${Math.round(wait)} ms`);
    await pause(wait);
  }
}

/** Any rejection here is a fault of the platform. */
const errorOf = (started: Promise<void>): Promise<{ reason: unknown } | null> =>
  started.then(
    () => null,
    (reason: unknown) => ({ reason }),
  );

const noneFree = (): Result<never> =>
  fail({
    reason: "machine_unavailable",
    message: "the platform had none available in several attempts",
    retry_after_ms: limits.startRetryLaterMs,
  });

/** Parts of the platform's messages, which have no error codes. */
const SHORTAGES = [
  "there is no container instance that can be provided",
  "requesting too many containers per second",
  "maximum number of running container instances",
];

function isShortage({ reason }: { reason: unknown }): boolean {
  const message = (reason instanceof Error ? reason.message : String(reason)).toLowerCase();
  return SHORTAGES.some((part) => message.includes(part));
}
