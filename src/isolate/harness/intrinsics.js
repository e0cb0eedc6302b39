// References to everything of the language that the harness uses, taken before the code of a run is imported. That code may
// replace any global or prototype; the harness never looks one up again.
//
// In this directory, therefore: no method calls on values (no `array.push`, no `text.slice`), no `for … of`, no spread and no
// array destructuring (each looks something up on a prototype), and lists are linked or written as text.

const { apply, deleteProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect;
const { hasOwn, getOwnPropertySymbols: symbolsOf } = Object;
const { isArray } = Array;
const { isView } = ArrayBuffer;
const { stringify } = JSON;
const { max, min } = Math;

/**
 * The function behind a method, as `(self, ...args)`.
 * @param {Function} method
 * @returns {(self: unknown, a?: unknown, b?: unknown) => any}
 */
const free = (method) => (self, a, b) => apply(method, self, [a, b]);

/**
 * The function behind a getter.
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

/** Also there in an isolate without what the platform has for Node. */
export const nativeProcess = /** @type {{ process?: any }} */ (globalThis).process;

const { setTimeout, setInterval, queueMicrotask } = globalThis;
// Called with another `this` than none, they refuse.
/** @type {(work: () => void, ms: number) => unknown} */
export const setNativeTimeout = (work, ms) => setTimeout(work, ms);
/** @type {(work: () => void, ms: number) => unknown} */
export const setNativeInterval = (work, ms) => setInterval(work, ms);
/** @type {(work: () => void) => void} */
export const queueNative = (work) => queueMicrotask(work);

export const mapGet = free(Map.prototype.get);
export const mapHas = free(Map.prototype.has);
export const mapSet = free(Map.prototype.set);
export const mapDelete = free(Map.prototype.delete);
export const mapForEach = free(Map.prototype.forEach);
export const mapSize = getter(Map.prototype, "size");
export const setForEach = free(Set.prototype.forEach);
export const setSize = getter(Set.prototype, "size");
export const dateTime = free(Date.prototype.getTime);
export const dateText = free(Date.prototype.toISOString);
export const regexpText = free(RegExp.prototype.toString);
export const regexpSource = getter(RegExp.prototype, "source");
export const symbolText = getter(Symbol.prototype, "description");
export const promiseThen = free(Promise.prototype.then);
export const bufferSize = getter(ArrayBuffer.prototype, "byteLength");
export const slice = free(String.prototype.slice);
export const startsWith = free(String.prototype.startsWith);
export const functionText = free(Function.prototype.toString);

const typedArrayPrototype = getPrototypeOf(Uint8Array.prototype) ?? Uint8Array.prototype;
/** "Uint8Array" and so on; undefined for anything else. */
export const typedArrayName = getter(typedArrayPrototype, Symbol.toStringTag);
export const typedArrayLength = getter(typedArrayPrototype, "length");

// `await` looks at the constructor of a promise; with this one fixed it never runs code of the run.
defineProperty(Promise.prototype, "constructor", { writable: false, configurable: false });
