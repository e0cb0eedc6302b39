// Runs the code of one `run_js` call inside its isolate. The code is a module of its own (code.js), imported after every
// reference used here has been taken; what is answered is a string, so that nothing the code did to prototypes is asked.

import { WorkerEntrypoint } from "cloudflare:workers";
import { createCalls, SandboxError } from "./calls.js";
import { createConsole } from "./console.js";
import { describe } from "./describe.js";
import { createProvider, define, shutDoors, watchTimers } from "./globals.js";
import * as native from "./intrinsics.js";
import { createRejections } from "./rejections.js";
import { settle } from "./settle.js";
import { stackBelow } from "./stack-below.js";
import { describeThrown } from "./thrown.js";

/**
 * @typedef {object} RunOptions
 * @property {Record<string, string[]>} grants provider → methods
 * @property {unknown} input
 * @property {boolean} callMain the module's default export is the program
 * @property {string[]} modules what may be imported
 * @property {number} atOnce
 * @property {number} resultChars
 * @property {number} logChars
 */

/** @typedef {{ call(name: string, args: unknown): Promise<any> }} Host */

export default class extends WorkerEntrypoint {
  /**
   * @param {Host} host
   * @param {RunOptions} options
   * @returns {Promise<string>}
   */
  async run(host, options) {
    // Taken once, here: a getter that the code defines on Object.prototype would be asked for a name of the stub, with it as `this`.
    const send = host.call;
    const calls = createCalls((name, args) => send(name, args), options.atOnce);
    const log = createConsole({ send: (batch) => send("log", batch), maxChars: options.logChars });
    const sites = createSites();
    const rejections = createRejections();
    const argument = setGlobals(options, calls, log.console, sites, rejections);
    let outcome;
    try {
      const value = await runCode(options, argument);
      const settled = new native.NativeMap();
      const result = value.returned ? await settle(value.value, settled) : undefined;
      const unawaited = calls.open();
      await calls.idle();
      // Rejections that nobody handles are announced after the microtasks of this turn.
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
    return `{${outcome},"logs_left_out":${await log.sent()}}`;
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
 * @param {ReturnType<typeof createSites>} sites
 * @param {ReturnType<typeof createRejections>} rejections
 * @returns {unknown} what a program that is a function is called with
 */
function setGlobals(options, calls, console, sites, rejections) {
  /** @param {string} message */
  const refuse = (message) => {
    const error = new SandboxError(message);
    error.reason = "not_granted";
    return error;
  };
  const { input } = options;
  // The same names whether there is input or not; behind them the fields of the input, for `({ a }) => a`.
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
  shutDoors(options.modules);
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
    throw new Error(`Cannot import "${String(name)}". There are no packages here; what can be imported is: ${names}`);
  };
}

/** Where a value that carries no stack was thrown: `throw x` is compiled to `throw $thrown(x)`. */
function createSites() {
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
