// Describes any value as the JSON text of a tree, which value/read-tree.ts reads in the Worker. The text is bounded in size
// and depth, whatever the value does: getters and traps that throw, cycles, strings of 200 MB. JSON values are written as
// they are, except objects, which become `{"object": [[key, value], …]}`. Every other kind is an object whose first key is
// its tag.

import { describeBuiltIn, isFiniteNumber, omittedItems, tagged } from "./describe-builtin.js";
import * as native from "./intrinsics.js";
import { classOf, clip, messageOf, nameOf, sourceOf } from "./kinds.js";

/**
 * @typedef {object} Bounds
 * @property {number} maxChars about the most characters of the text
 * @property {number} maxDepth
 * @property {Map<unknown, unknown>} settled the results of promises inside the value
 */

/**
 * @param {unknown} root
 * @param {Bounds} bounds
 * @returns {string}
 */
export function describe(root, { maxChars, maxDepth, settled }) {
  let remaining = maxChars;
  /** The objects that contain the one being described, with the path of each. */
  const ancestors = new native.NativeMap();
  /** @type {import("./describe-builtin.js").Writer} */
  const writer = { visit, spend, primitive, quoted, element, fields, isFull: () => remaining <= 0 };
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
    remaining -= text.length;
    return text;
  }

  /** @param {unknown} value */
  function primitive(value) {
    switch (typeof value) {
      case "string":
        return quoted(value);
      case "number":
        return spend(isFiniteNumber(value) && !native.is(value, -0) ? `${value}` : tagged("number", numberText(value)));
      case "boolean":
        return spend(value ? "true" : "false");
      case "bigint":
        return spend(tagged("bigint", clip(`${value}`)));
      case "symbol":
        return spend(tagged("symbol", clip(native.symbolText(value) ?? "")));
      case "function":
        return spend(
          tagged(native.startsWith(sourceOf(value), "class") ? "class_name" : "function", clip(nameOf(value))),
        );
      case "undefined":
        return spend('{"undefined":true}');
      default:
        return spend("null");
    }
  }

  /** @param {string} value */
  function quoted(value) {
    const room = native.max(remaining, 0);
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
    if (native.mapHas(ancestors, value)) return spend(tagged("seen", native.mapGet(ancestors, value)));
    if (depth >= maxDepth) return spend(tagged("note", "nested too deeply"));
    native.mapSet(ancestors, value, path);
    // The text around each object counts too: a list of a million empty objects is not small.
    remaining -= 16;
    try {
      return describeObject(value, path, depth);
    } catch (error) {
      return spend(tagged("note", `cannot be read: ${messageOf(error)}`));
    } finally {
      native.mapDelete(ancestors, value);
    }
  }

  /**
   * @param {any} value
   * @param {string} path
   * @param {number} depth
   * @returns {string}
   */
  function describeObject(value, path, depth) {
    if (native.isArray(value)) return array(value, path, depth);
    const prototype = native.getPrototypeOf(value);
    if (prototype !== native.objectPrototype && prototype !== null) {
      if (native.mapHas(settled, value)) return visit(native.mapGet(settled, value), path, depth + 1);
      const builtIn = describeBuiltIn(writer, value, path, depth);
      if (builtIn !== null) return builtIn;
    }
    const toJson = value.toJSON;
    if (typeof toJson === "function") {
      try {
        return visit(native.apply(toJson, value, []), path, depth + 1);
      } catch (error) {
        return spend(tagged("note", `toJSON threw: ${messageOf(error)}`));
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
   */
  function array(value, path, depth) {
    // The length of a proxy can be anything.
    const length = native.min(typeof value.length === "number" ? value.length : 0, maxLength);
    let text = "[";
    let holes = 0;
    for (let index = 0; index < length; index++) {
      if (remaining <= 0) return `${text}${holesText()}${text === "[" ? "" : ","}${omittedItems(length - index)}]`;
      if (!native.hasOwn(value, index)) {
        holes += 1;
        // Counting all holes of an array of a billion elements would take too long.
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
   * The own enumerable properties, as pairs.
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
      if (remaining <= 0) return `${text}${text === "[" ? "" : ","}${omittedItems(keys.length - index)}]`;
      const name = typeof key === "symbol" ? `Symbol(${native.symbolText(key) ?? ""})` : key;
      // A key that is cut would be a different key.
      if (name.length > maxKey) {
        text += `${text === "[" ? "" : ","}${omittedItems(1)}`;
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
      return spend(tagged("note", `getter threw: ${messageOf(error)}`));
    }
    return visit(item, path, depth + 1);
  }
}

const maxKey = 1_000;
const maxLength = 2 ** 32;

/** @param {number} value */
const numberText = (value) => (value === 0 ? "-0" : `${value}`);
