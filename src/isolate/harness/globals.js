// What code in a run finds as globals: the providers it was granted, and sentences where it reaches for what is not there.

import * as native from "./intrinsics.js";

/**
 * One provider: its granted methods, and for any other name a function that says what there is.
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
      // Looked up by `await`, by JSON and by consoles on anything they meet.
      if (typeof key === "symbol" || key === "then" || key === "toJSON" || key === "constructor") return undefined;
      return async () => {
        throw refuse(`${name}.${key} is not available in this run. There is: ${names}`);
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
  'Nothing outside can be reached from run_js: use the providers (help() lists them), or sandbox.exec({command: "curl …"}) where the sandbox may';

/**
 * Shut here: the cache, in which one run could leave something for another, and the modules of the platform, which `process`
 * hands out. The others are shut anyway and get a sentence instead of the platform's.
 * @param {string[]} modules what may be imported
 * @param {boolean} hasNetwork
 */
export function shutDoors(modules, hasNetwork) {
  native.deleteProperty(globalThis, "caches");
  shutProcess(modules);
  if (!hasNetwork) {
    define(globalThis, "fetch", async () => {
      throw new Error(`fetch is refused. ${noNetwork}`);
    });
  }
  const instead = hasNetwork
    ? "Use fetch; the answer to a request with the header upgrade: websocket has a webSocket"
    : noNetwork;
  const names = ["WebSocket", "EventSource", "XMLHttpRequest"];
  for (let index = 0; index < names.length; index++) {
    const name = names[index] ?? "";
    define(globalThis, name, function refused() {
      throw new Error(`${name} is refused. ${instead}`);
    });
  }
}

/** @param {string[]} modules */
function shutProcess(modules) {
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
    throw new Error(`Cannot load ${named}. What can be loaded is: ${names}`);
  };
  define(nativeProcess, "getBuiltinModule", getBuiltinModule);
}

/**
 * @param {string} name
 * @param {unknown} work
 */
function check(name, work) {
  if (typeof work !== "function") throw new TypeError(`${name} takes a function`);
}

/**
 * An error thrown in a timer would end in the platform's log only.
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
    check("setTimeout", work);
    return native.setNativeTimeout(() => run(work, args), ms);
  };
  /** @type {(work: unknown, ms: number, ...args: unknown[]) => unknown} */
  const setInterval = (work, ms, ...args) => {
    check("setInterval", work);
    return native.setNativeInterval(() => run(work, args), ms);
  };
  /** @type {(work: unknown) => void} */
  const queueMicrotask = (work) => {
    check("queueMicrotask", work);
    native.queueNative(() => run(work, []));
  };
  define(globalThis, "setTimeout", setTimeout);
  define(globalThis, "setInterval", setInterval);
  define(globalThis, "queueMicrotask", queueMicrotask);
}
