// References to every built-in that the harness uses, taken before the code of a run is imported. That code may replace any
// global or prototype, and the harness never looks one up again.
//
// Therefore the files in this directory use no method calls on values (no `array.push`, no `text.slice`), no `for … of`, no
// spread and no array destructuring, each of which looks something up on a prototype. Lists are linked or built as text.

const { apply, deleteProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect;
const { hasOwn, getOwnPropertySymbols: symbolsOf } = Object;
const { isArray } = Array;
const { isView } = ArrayBuffer;
const { stringify } = JSON;
const { max, min } = Math;

/**
 * A method as a function that takes `this` as its first argument.
 * @param {Function} method
 * @returns {(self: unknown, a?: unknown, b?: unknown) => any}
 */
const uncurryThis = (method) => (self, a, b) => apply(method, self, [a, b]);

/**
 * A getter as a function that takes `this` as its argument.
 * @param {object} prototype
 * @param {PropertyKey} key
 * @returns {(self: unknown) => any}
 */
function getter(prototype, key) {
  const get = getOwnPropertyDescriptor(prototype, key)?.get;
  if (get === undefined) throw new Error(`No getter ${String(key)}`);
  return (self) => apply(get, self, []);
}

export {
  apply,
  deleteProperty,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  hasOwn,
  isArray,
  isView,
  max,
  min,
  ownKeys,
  stringify,
  symbolsOf,
};
export const { is, prototype: objectPrototype, defineProperty, create } = Object;
export const errorPrototype = Error.prototype;
export const { captureStackTrace } = Error;
export const NativePromise = Promise;
export const promisePrototype = Promise.prototype;
export const NativeMap = Map;
export const NativeProxy = Proxy;
export const NativeUint8Array = Uint8Array;

const { log } = console;

/**
 * Prints a line to the output of the process.
 * @param {string} line
 */
export function print(line) {
  try {
    log(line);
  } catch {
    // The code has replaced something that the console uses.
    return;
  }
}

/** Exists even in an isolate without Node compatibility. */
export const nativeProcess = /** @type {{ process?: any }} */ (globalThis).process;

const { setTimeout, setInterval, queueMicrotask } = globalThis;
// They throw when called with a `this`, so they are wrapped.
/** @type {(work: () => void, ms: number) => unknown} */
export const setNativeTimeout = (work, ms) => setTimeout(work, ms);
/** @type {(work: () => void, ms: number) => unknown} */
export const setNativeInterval = (work, ms) => setInterval(work, ms);
/** @type {(work: () => void) => void} */
export const queueNative = (work) => queueMicrotask(work);

export const mapGet = uncurryThis(Map.prototype.get);
export const mapHas = uncurryThis(Map.prototype.has);
export const mapSet = uncurryThis(Map.prototype.set);
export const mapDelete = uncurryThis(Map.prototype.delete);
export const mapForEach = uncurryThis(Map.prototype.forEach);
export const mapSize = getter(Map.prototype, "size");
export const setForEach = uncurryThis(Set.prototype.forEach);
export const setSize = getter(Set.prototype, "size");
export const dateTime = uncurryThis(Date.prototype.getTime);
export const dateText = uncurryThis(Date.prototype.toISOString);
export const regexpText = uncurryThis(RegExp.prototype.toString);
export const regexpSource = getter(RegExp.prototype, "source");
export const symbolText = getter(Symbol.prototype, "description");
export const bufferSize = getter(ArrayBuffer.prototype, "byteLength");
export const slice = uncurryThis(String.prototype.slice);
export const startsWith = uncurryThis(String.prototype.startsWith);
export const functionText = uncurryThis(Function.prototype.toString);

const typedArrayPrototype = getPrototypeOf(Uint8Array.prototype) ?? Uint8Array.prototype;
/** The name of a typed array's class, such as "Uint8Array"; undefined for any other value. */
export const typedArrayName = getter(typedArrayPrototype, Symbol.toStringTag);
export const typedArrayLength = getter(typedArrayPrototype, "length");

// `await` reads the constructor of a promise. Fixing it keeps `await` from running code of the run.
defineProperty(Promise.prototype, "constructor", { writable: false, configurable: false });
