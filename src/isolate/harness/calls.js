// Provider calls from inside the isolate. It limits how many run at once (others wait here, where their arguments use the
// memory of the isolate and not of the Worker), turns a failure into a SandboxError at the calling line, and counts the
// calls under way.

import * as native from "./intrinsics.js";
import { stackBelow } from "./stack-below.js";

/** The error that providers throw: it has the `reason` and the other fields of the failure. */
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
      if (active >= atOnce) await slot();
      active += 1;
      let answer;
      try {
        answer = await send(name, args);
      } catch (fault) {
        answer = sendFailure(name, fault);
      } finally {
        active -= 1;
        startNext();
      }
      if (answer.ok) return answer.value;
      throw fillError(error, answer, site);
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

  function slot() {
    return new native.NativePromise((resolve) => {
      const waiter = { start: () => resolve(undefined), next: null };
      if (last === null) first = waiter;
      else last.next = waiter;
      last = waiter;
    });
  }

  function startNext() {
    if (first === null) return;
    const waiter = first;
    first = waiter.next;
    if (first === null) last = null;
    waiter.start();
  }
}

/** @typedef {{ start: () => void, next: Waiter | null }} Waiter */

/**
 * @param {SandboxError} error created at the call
 * @param {{ failure: { reason: string }, message: string }} answer
 * @param {string} site the stack below the call
 */
function fillError(error, { failure, message }, site) {
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
 * The answer for a call whose arguments could not be sent, or that came after the end of the run.
 * @param {string} name
 * @param {any} fault
 * @returns {{ ok: false, failure: { reason: string }, message: string }}
 */
function sendFailure(name, fault) {
  const message = typeof fault?.message === "string" ? fault.message : "it could not be sent";
  return {
    ok: false,
    failure: { reason: "invalid_request" },
    message: `${name}: ${message}. Arguments must be plain data: JSON values and Uint8Array`,
  };
}
