// Writes any value as the JSON text of a tree (read on the other side by value/read-tree.ts): bounded in size and depth, and
// whatever the value does (getters and traps that throw, cycles, 200 MB strings). JSON stays what it is, but for objects,
// which become `{"object": [[key, value], …]}`; everything else is an object with one telling key.

import * as native from "./intrinsics.js";
import { classOf, clip, isError, isPromise, messageOf, nameOf, passes, sourceOf } from "./kinds.js";

/**
 * @typedef {object} Bounds
 * @property {number} maxChars of the text written, about
 * @property {number} maxDepth
 * @property {Map<unknown, unknown>} settled what promises inside the value came to
 */

/**
 * @param {unknown} root
 * @param {Bounds} bounds
 * @returns {string}
 */
export function describe(root, { maxChars, maxDepth, settled }) {
  let left = maxChars;
  /** Objects around the one being written, and the path of each. */
  const around = new native.NativeMap();
  return visit(root, "$", 0);

  /**
   * @param {unknown} value
   * @param {string} path
   * @param {number} depth
   * @returns {string}
   */
  function visit(value, path, depth) {
    return typeof value === "object" && value !== null ? visitObject(value, path, depth) : primitive(value);
  }

  /** @param {string} text */
  function spend(text) {
    left -= text.length;
    return text;
  }

  /** @param {unknown} value */
  function primitive(value) {
    switch (typeof value) {
      case "string":
        return quoted(value);
      case "number":
        return spend(finite(value) && !native.is(value, -0) ? `${value}` : one("number", numberText(value)));
      case "boolean":
        return spend(value ? "true" : "false");
      case "bigint":
        return spend(one("bigint", clip(`${value}`)));
      case "symbol":
        return spend(one("symbol", clip(native.symbolText(value) ?? "")));
      case "function":
        return spend(one(native.startsWith(sourceOf(value), "class") ? "class_name" : "function", clip(nameOf(value))));
      case "undefined":
        return spend('{"undefined":true}');
      default:
        return spend("null");
    }
  }

  /** @param {string} value */
  function quoted(value) {
    const room = native.max(left, 0);
    if (value.length <= room) return spend(native.stringify(value));
    const head = native.stringify(native.slice(value, 0, room));
    return spend(`{"string":${head},"length":${value.length}}`);
  }

  /**
   * @param {object} value
   * @param {string} path
   * @param {number} depth
   */
  function visitObject(value, path, depth) {
    if (native.mapHas(around, value)) return spend(one("seen", native.mapGet(around, value)));
    if (depth >= maxDepth) return spend(one("note", "nested too deeply"));
    native.mapSet(around, value, path);
    // For its frame: a list of a million empty objects has a size too.
    left -= 16;
    try {
      return anyObject(value, path, depth);
    } catch (error) {
      return spend(one("note", `cannot be read: ${messageOf(error)}`));
    } finally {
      native.mapDelete(around, value);
    }
  }

  /**
   * @param {any} value
   * @param {string} path
   * @param {number} depth
   * @returns {string}
   */
  function anyObject(value, path, depth) {
    if (native.isArray(value)) return array(value, path, depth);
    const prototype = native.getPrototypeOf(value);
    if (prototype !== native.objectPrototype && prototype !== null) {
      if (native.mapHas(settled, value)) return visit(native.mapGet(settled, value), path, depth + 1);
      const special = builtIn(value, path, depth);
      if (special !== null) return special;
    }
    const toJson = value.toJSON;
    if (typeof toJson === "function") {
      try {
        return visit(native.apply(toJson, value, []), path, depth + 1);
      } catch (error) {
        return spend(one("note", `toJSON threw: ${messageOf(error)}`));
      }
    }
    const plain = (prototype === native.objectPrototype || prototype === null) && native.symbolsOf(value).length === 0;
    const name = plain ? "" : classOf(value) || "Object";
    return `{"object":${fields(value, path, depth)}${name === "" ? "" : `,"class":${native.stringify(name)}`}}`;
  }

  /**
   * @param {any} value
   * @param {string} path
   * @param {number} depth
   * @returns {string | null} null for an object of another kind
   */
  function builtIn(value, path, depth) {
    if (native.isView(value)) return bytes(value, native.typedArrayName(value) ?? "DataView");
    if (passes(native.mapSize, value)) return `{"map":${mapEntries(value, path, depth)}}`;
    if (passes(native.setSize, value)) return `{"set":${setItems(value, path, depth)}}`;
    if (passes(native.dateTime, value)) {
      const time = native.dateTime(value);
      return spend(one("date", finite(time) ? native.dateText(value) : "Invalid Date"));
    }
    if (isError(value)) return error(value, path, depth);
    if (passes(native.regexpSource, value)) return spend(one("regexp", clip(native.regexpText(value))));
    if (passes(native.bufferSize, value)) return bytes(new native.NativeUint8Array(value), "ArrayBuffer");
    if (isPromise(value)) return spend(one("note", "a promise that was not awaited"));
    return null;
  }

  /**
   * @param {any} value
   * @param {string} path
   * @param {number} depth
   */
  function array(value, path, depth) {
    // A proxy may say anything.
    const length = native.min(typeof value.length === "number" ? value.length : 0, maxLength);
    let text = "[";
    let holes = 0;
    for (let index = 0; index < length; index++) {
      if (left <= 0) return `${text}${holesText()}${text === "[" ? "" : ","}${leftOut(length - index)}]`;
      if (!native.hasOwn(value, index)) {
        holes += 1;
        // Counting the holes of an array of a billion would take a while.
        if (holes === 100_000) return `${text}${text === "[" ? "" : ","}{"holes":${length - index - 1 + holes}}]`;
        continue;
      }
      text += holesText();
      text += `${text === "[" ? "" : ","}${element(value, index, `${path}[${index}]`, depth)}`;
    }
    return `${text}${holesText()}]`;

    function holesText() {
      if (holes === 0) return "";
      const hole = `${text === "[" ? "" : ","}{"holes":${holes}}`;
      holes = 0;
      return spend(hole);
    }
  }

  /**
   * The own enumerable properties.
   * @param {any} value
   * @param {string} path
   * @param {number} depth
   */
  function fields(value, path, depth) {
    const keys = native.ownKeys(value);
    let text = "[";
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index] ?? "";
      if (native.getOwnPropertyDescriptor(value, key)?.enumerable !== true) continue;
      if (left <= 0) return `${text}${text === "[" ? "" : ","}${leftOut(keys.length - index)}]`;
      const name = typeof key === "symbol" ? `Symbol(${native.symbolText(key) ?? ""})` : key;
      // A key cut short would be another key.
      if (name.length > maxKey) {
        text += `${text === "[" ? "" : ","}${leftOut(1)}`;
        continue;
      }
      text += `${text === "[" ? "" : ","}[${quotedKey(name)},${element(value, key, `${path}.${name}`, depth)}]`;
    }
    return `${text}]`;
  }

  /** @param {string} name */
  function quotedKey(name) {
    return spend(native.stringify(name));
  }

  /**
   * @param {any} value
   * @param {PropertyKey} key
   * @param {string} path
   * @param {number} depth
   */
  function element(value, key, path, depth) {
    let item;
    try {
      item = value[key];
    } catch (error) {
      return spend(one("note", `getter threw: ${messageOf(error)}`));
    }
    return visit(item, path, depth + 1);
  }

  /**
   * @param {any} map
   * @param {string} path
   * @param {number} depth
   */
  function mapEntries(map, path, depth) {
    let text = "[";
    let skipped = 0;
    let index = 0;
    native.mapForEach(
      map,
      /** @type {(item: unknown, key: unknown) => void} */
      (item, key) => {
        if (left <= 0) skipped += 1;
        else
          text += `${text === "[" ? "" : ","}[${visit(key, `${path}.key(${index})`, depth + 1)},${visit(item, `${path}.get(${index})`, depth + 1)}]`;
        index += 1;
      },
    );
    return `${text}${skipped === 0 ? "" : `${text === "[" ? "" : ","}${leftOut(skipped)}`}]`;
  }

  /**
   * @param {any} set
   * @param {string} path
   * @param {number} depth
   */
  function setItems(set, path, depth) {
    let text = "[";
    let skipped = 0;
    let index = 0;
    native.setForEach(
      set,
      /** @type {(item: unknown) => void} */
      (item) => {
        if (left <= 0) skipped += 1;
        else text += `${text === "[" ? "" : ","}${visit(item, `${path}.item(${index})`, depth + 1)}`;
        index += 1;
      },
    );
    return `${text}${skipped === 0 ? "" : `${text === "[" ? "" : ","}${leftOut(skipped)}`}]`;
  }

  /**
   * @param {any} view
   * @param {string} name
   */
  function bytes(view, name) {
    const items =
      name === "DataView" ? new native.NativeUint8Array(view.buffer, view.byteOffset, view.byteLength) : view;
    const length = native.typedArrayLength(items);
    let text = "[";
    let index = 0;
    for (; index < length && left > 0; index++) text += `${index === 0 ? "" : ","}${primitive(items[index])}`;
    return `{"bytes":${native.stringify(name)},"length":${length},"items":${text}]}`;
  }

  /**
   * @param {any} value
   * @param {string} path
   * @param {number} depth
   */
  function error(value, path, depth) {
    const cause = native.hasOwn(value, "cause") ? `,"cause":${element(value, "cause", `${path}.cause`, depth)}` : "";
    const errors = native.hasOwn(value, "errors")
      ? `,"errors":${element(value, "errors", `${path}.errors`, depth)}`
      : "";
    return `{"error":${quoted(classOf(value))},"message":${quoted(clip(messageOf(value)))},"fields":${fields(value, path, depth)}${cause}${errors}}`;
  }
}

const maxKey = 1_000;
const maxLength = 2 ** 32;

/** @param {number} value */
const finite = (value) => value - value === 0;

/** @param {number} value */
const numberText = (value) => (value === 0 ? "-0" : `${value}`);

/**
 * @param {string} key
 * @param {string} text
 */
const one = (key, text) => `{"${key}":${native.stringify(text)}}`;

/** @param {number} count */
const leftOut = (count) => `{"left_out":${count}}`;
