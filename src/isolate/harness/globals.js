// The globals of a run: the granted providers, and an explanatory error for what is not available.

import * as native from "./intrinsics.js";

/**
 * One provider: its granted methods, and for any other name a function that throws an error with the available ones.
 * @param {string} name
 * @param {string[]} methods
 * @param {(name: string, args: unknown[]) => Promise<unknown>} call
 * @param {(message: string) => Error} refuse
 */
export function createProvider(name, methods, call, refuse) {
  const target = native.create(null);
  let names = "";
  for (let index = 0; index < methods.length; index++) {
    const method = methods[index] ?? "";
    names += `${index === 0 ? "" : ", "}${name}.${method}`;
    define(
      target,
      method,
      /** @param {unknown[]} args */
      (...args) => call(`${name}.${method}`, args),
    );
  }
  return new native.NativeProxy(target, {
    get(self, key) {
      if (native.hasOwn(self, key)) return self[key];
      // `await`, JSON and consoles read these keys of every value.
      if (typeof key === "symbol" || key === "then" || key === "toJSON" || key === "constructor") return undefined;
      return async () => {
        throw refuse(`${name}.${key} is not available in this run. Available: ${names}`);
      };
    },
  });
}

/**
 * @param {any} target
 * @param {string} name
 * @param {unknown} value
 */
export function define(target, name, value) {
  native.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
}

const noNetwork =
  'run_js has no network: use the providers (help() lists them), or sandbox.exec({command: "curl …"}) for hosts that the sandbox may reach';

/**
 * Removes the cache, through which one run could leave data for another, and restricts the modules that `process` gives access to. The
 * other globals would not work in any case; they get a more helpful error than the platform's.
 * @param {string[]} modules what may be imported
 * @param {boolean} hasNetwork
 */
export function restrictGlobals(modules, hasNetwork) {
  native.deleteProperty(globalThis, "caches");
  restrictProcess(modules);
  if (!hasNetwork) {
    define(globalThis, "fetch", async () => {
      throw new Error(`fetch is not available. ${noNetwork}`);
    });
  }
  const alternative = hasNetwork
    ? "Use fetch: the response to a request with the header upgrade: websocket has a webSocket"
    : noNetwork;
  const names = ["WebSocket", "EventSource", "XMLHttpRequest"];
  for (let index = 0; index < names.length; index++) {
    const name = names[index] ?? "";
    define(globalThis, name, function refused() {
      throw new Error(`${name} is not available. ${alternative}`);
    });
  }
}

/** @param {string[]} modules */
function restrictProcess(modules) {
  const { nativeProcess } = native;
  if (nativeProcess === undefined) return;
  const load = nativeProcess.getBuiltinModule;
  /** @param {unknown} name */
  const getBuiltinModule = (name) => {
    let names = "";
    for (let index = 0; index < modules.length; index++) {
      const module = modules[index];
      if (name === module || `node:${typeof name === "string" ? name : ""}` === module) {
        return native.apply(load, nativeProcess, [module]);
      }
      names += `${index === 0 ? "" : ", "}${module}`;
    }
    const named = typeof name === "string" ? `"${name}"` : "that";
    throw new Error(`Cannot load ${named}. The loadable modules are: ${names}`);
  };
  define(nativeProcess, "getBuiltinModule", getBuiltinModule);
}

/**
 * @param {string} name
 * @param {unknown} work
 */
function requireFunction(name, work) {
  if (typeof work !== "function") throw new TypeError(`${name} needs a function`);
}

/**
 * Reports errors thrown in timers, which would otherwise appear only in the platform's log.
 * @param {(thrown: unknown) => void} onThrown
 */
export function watchTimers(onThrown) {
  /**
   * @param {any} work
   * @param {unknown[]} args
   */
  const run = (work, args) => {
    try {
      native.apply(work, undefined, args);
    } catch (thrown) {
      onThrown(thrown);
    }
  };
  /** @type {(work: unknown, ms: number, ...args: unknown[]) => unknown} */
  const setTimeout = (work, ms, ...args) => {
    requireFunction("setTimeout", work);
    return native.setNativeTimeout(() => run(work, args), ms);
  };
  /** @type {(work: unknown, ms: number, ...args: unknown[]) => unknown} */
  const setInterval = (work, ms, ...args) => {
    requireFunction("setInterval", work);
    return native.setNativeInterval(() => run(work, args), ms);
  };
  /** @type {(work: unknown) => void} */
  const queueMicrotask = (work) => {
    requireFunction("queueMicrotask", work);
    native.queueNative(() => run(work, []));
  };
  define(globalThis, "setTimeout", setTimeout);
  define(globalThis, "setInterval", setInterval);
  define(globalThis, "queueMicrotask", queueMicrotask);
}
