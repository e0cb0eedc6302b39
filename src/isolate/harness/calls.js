// Calls to providers from inside: at most so many at once (the others wait here, where their arguments cost the isolate and
// not the Worker), a failure as a SandboxError thrown at the line that called, and a count of those still under way.

import * as native from "./intrinsics.js";
import { stackBelow } from "./stack-below.js";

/** Thrown by every provider; `reason` is the tag of the failure, beside its other fields. */
export class SandboxError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "SandboxError";
    this.reason = "unknown";
  }
}

/** @typedef {{ ok: true, value: unknown } | { ok: false, failure: { reason: string }, message: string }} Answer */

/**
 * @param {(name: string, args: unknown) => Promise<Answer>} send
 * @param {number} atOnce
 */
export function createCalls(send, atOnce) {
  let active = 0;
  let open = 0;
  /** @type {Waiter | null} */
  let first = null;
  /** @type {Waiter | null} */
  let last = null;
  /** @type {(() => void) | null} */
  let onIdle = null;

  return { call, idle, open: () => open };

  /**
   * @param {string} name
   * @param {unknown} args array
   */
  async function call(name, args) {
    const error = new SandboxError("");
    const site = stackBelow(call);
    open += 1;
    try {
      if (active >= atOnce) await turn();
      active += 1;
      let answer;
      try {
        answer = await send(name, args);
      } catch (fault) {
        answer = unsent(name, fault);
      } finally {
        active -= 1;
        next();
      }
      if (answer.ok) return answer.value;
      throw dress(error, answer, site);
    } finally {
      open -= 1;
      if (open === 0 && onIdle !== null) onIdle();
    }
  }

  /** Resolves when no call is under way. */
  async function idle() {
    while (open > 0) {
      await new native.NativePromise((resolve) => {
        onIdle = () => resolve(undefined);
      });
    }
  }

  function turn() {
    return new native.NativePromise((resolve) => {
      const waiter = { start: () => resolve(undefined), next: null };
      if (last === null) first = waiter;
      else last.next = waiter;
      last = waiter;
    });
  }

  function next() {
    if (first === null) return;
    const waiter = first;
    first = waiter.next;
    if (first === null) last = null;
    waiter.start();
  }
}

/** @typedef {{ start: () => void, next: Waiter | null }} Waiter */

/**
 * @param {SandboxError} error made where the call was
 * @param {{ failure: { reason: string }, message: string }} answer
 * @param {string} site
 */
function dress(error, { failure, message }, site) {
  const keys = native.ownKeys(failure);
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] ?? "";
    if (key === "message" || key === "stack") continue;
    native.defineProperty(error, key, {
      value: native.getOwnPropertyDescriptor(failure, key)?.value,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  native.defineProperty(error, "message", { value: message, writable: true, configurable: true });
  native.defineProperty(error, "stack", {
    value: `SandboxError: ${message}${site}`,
    writable: true,
    configurable: true,
  });
  return error;
}

/**
 * The arguments could not be sent, or the run has ended.
 * @param {string} name
 * @param {any} fault
 * @returns {{ ok: false, failure: { reason: string }, message: string }}
 */
function unsent(name, fault) {
  const words = typeof fault?.message === "string" ? fault.message : "it could not be sent";
  return {
    ok: false,
    failure: { reason: "invalid_request" },
    message: `${name}: ${words}. Arguments are plain data: JSON values and Uint8Array`,
  };
}
