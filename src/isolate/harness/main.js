// Runs the code of one run_js call inside its isolate. The code is a separate module (code.js), imported after the harness
// has taken all the references that it uses. The answer is a string, so that sending it does not depend on prototypes that
// the code changed.

import { WorkerEntrypoint } from "cloudflare:workers";
import { createCalls, SandboxError } from "./calls.js";
import { createConsole } from "./console.js";
import { describe } from "./describe.js";
import { createProvider, define, restrictGlobals, watchTimers } from "./globals.js";
import * as native from "./intrinsics.js";
import { createRejections } from "./rejections.js";
import { settle } from "./settle.js";
import { stackBelow } from "./stack-below.js";
import { describeThrown } from "./thrown.js";

/**
 * @typedef {object} RunOptions
 * @property {Record<string, string[]>} grants the granted methods of each provider
 * @property {unknown} input
 * @property {boolean} hasNetwork fetch works
 * @property {boolean} callMain the default export is a function to call
 * @property {string[]} modules the importable modules
 * @property {number} atOnce provider calls at once
 * @property {number} resultChars about the most characters of the described value
 * @property {number} logChars the most characters of all log entries
 * @property {boolean} printLogs also prints each log entry to the output of the process
 */

/** @typedef {{ call(name: string, args: unknown): Promise<any> }} Host */

export default class extends WorkerEntrypoint {
  /**
   * @param {Host} host
   * @param {RunOptions} options
   * @returns {Promise<string>}
   */
  async run(host, options) {
    // Read once, before the code runs: a getter that the code defines on Object.prototype could otherwise receive the stub
    // as `this`.
    const send = host.call;
    const calls = createCalls((name, args) => send(name, args), options.atOnce);
    const log = createConsole({
      send: (batch) => send("log", batch),
      print: options.printLogs ? native.print : () => undefined,
      maxChars: options.logChars,
    });
    const sites = createThrowSites();
    const rejections = createRejections();
    const argument = setGlobals(options, calls, log.console, sites, rejections);
    let outcome;
    try {
      const value = await runCode(options, argument);
      const settled = new native.NativeMap();
      const result = value.returned ? await settle(value.value, settled) : undefined;
      const unawaited = calls.open();
      await calls.idle();
      // Unhandled rejections are reported after the microtasks of this turn.
      await new native.NativePromise((resolve) => native.setNativeTimeout(() => resolve(undefined), 0));
      const unhandled = rejections.first();
      if (unhandled !== null) {
        outcome = `"error":${describeThrown(unhandled.thrown, sites.of(unhandled.thrown))},"unhandled":"${unhandled.how}"`;
      } else {
        const tree = describe(result, { maxChars: options.resultChars, maxDepth: 100, settled });
        outcome = value.returned ? `"value":${tree},"unawaited":${unawaited}` : `"unawaited":${unawaited}`;
      }
    } catch (thrown) {
      outcome = `"error":${describeThrown(thrown, sites.of(thrown))}`;
    }
    return `{${outcome},"logs_omitted":${await log.sent()}}`;
  }
}

/**
 * @param {RunOptions} options
 * @param {unknown} argument
 * @returns {Promise<{ returned: boolean, value: unknown }>}
 */
async function runCode({ callMain }, argument) {
  /** @type {Record<string, any>} */
  const code = await import("./code.js");
  if (!native.hasOwn(code, "default")) return { returned: false, value: undefined };
  const main = code.default;
  const value = await (callMain && typeof main === "function" ? main(argument) : main);
  return { returned: value !== undefined, value };
}

/**
 * @param {RunOptions} options
 * @param {ReturnType<typeof createCalls>} calls
 * @param {object} console
 * @param {ReturnType<typeof createThrowSites>} sites
 * @param {ReturnType<typeof createRejections>} rejections
 * @returns {unknown} the argument of a program that is a function
 */
function setGlobals(options, calls, console, sites, rejections) {
  /** @param {string} message */
  const refuse = (message) => {
    const error = new SandboxError(message);
    error.reason = "not_granted";
    return error;
  };
  const { input } = options;
  // The argument has the same names with and without input, and inherits the fields of the input, for `({ a }) => a`.
  const context = native.create(typeof input === "object" && input !== null ? input : native.objectPrototype);
  define(context, "input", input);
  const names = native.ownKeys(options.grants);
  for (let index = 0; index < names.length; index++) {
    const name = `${String(names[index])}`;
    define(context, name, createProvider(name, options.grants[name] ?? [], calls.call, refuse));
    define(globalThis, name, native.getOwnPropertyDescriptor(context, name)?.value);
  }
  /** @param {unknown} topic */
  const help = (topic) => calls.call("help", topic === undefined ? [] : [topic]);
  define(context, "help", help);
  define(globalThis, "help", help);
  define(globalThis, "input", input);
  define(globalThis, "console", console);
  define(globalThis, "SandboxError", SandboxError);
  native.defineProperty(globalThis, "$thrown", { value: sites.note });
  native.defineProperty(globalThis, "$import", { value: createImport(options.modules) });
  restrictGlobals(options.modules, options.hasNetwork);
  watchTimers(rejections.add);
  return context;
}

/** @param {string[]} modules */
function createImport(modules) {
  /** @param {unknown} name */
  return async (name) => {
    let names = "";
    for (let index = 0; index < modules.length; index++) {
      if (modules[index] === name) return import(`${name}`);
      names += `${index === 0 ? "" : ", "}${modules[index]}`;
    }
    throw new Error(
      `Cannot import "${String(name)}". There are no packages here; the importable modules are: ${names}`,
    );
  };
}

/** Remembers where the last value was thrown, for values without a stack: `throw x` is compiled to `throw $thrown(x)`. */
function createThrowSites() {
  /** @type {{ value: unknown, stack: string } | null} */
  let last = null;
  /** @param {unknown} value */
  const note = (value) => {
    last = { value, stack: stackBelow(note) };
    return value;
  };
  return {
    note,
    /** @param {unknown} value */
    of: (value) => (last !== null && native.is(last.value, value) ? last.stack : ""),
  };
}
