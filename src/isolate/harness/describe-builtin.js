// Describes the objects of built-in classes: maps, sets, dates, errors, regular expressions, bytes and promises. describe.js
// describes everything else and keeps the bounds.

import * as native from "./intrinsics.js";
import { accepts, classOf, clip, isError, isPromise, messageOf } from "./kinds.js";

/**
 * The functions of describe.js that are needed here. Each counts what it writes.
 * @typedef {object} Writer
 * @property {(value: unknown, path: string, depth: number) => string} visit describes any value
 * @property {(text: string) => string} spend counts a text and returns it
 * @property {(value: unknown) => string} primitive
 * @property {(value: string) => string} quoted
 * @property {(value: any, key: PropertyKey, path: string, depth: number) => string} element describes a property
 * @property {(value: any, path: string, depth: number) => string} fields
 * @property {() => boolean} isFull there is no room for more
 */

/**
 * @param {Writer} writer
 * @param {any} value
 * @param {string} path
 * @param {number} depth
 * @returns {string | null} null for an object of any other kind
 */
export function describeBuiltIn(writer, value, path, depth) {
  const { spend } = writer;
  if (native.isView(value)) return bytes(writer, value, native.typedArrayName(value) ?? "DataView");
  if (accepts(native.mapSize, value)) return `{"map":${mapEntries(writer, value, path, depth)}}`;
  if (accepts(native.setSize, value)) return `{"set":${setItems(writer, value, path, depth)}}`;
  if (accepts(native.dateTime, value)) {
    const time = native.dateTime(value);
    return spend(tagged("date", isFiniteNumber(time) ? native.dateText(value) : "Invalid Date"));
  }
  if (isError(value)) return error(writer, value, path, depth);
  if (accepts(native.regexpSource, value)) return spend(tagged("regexp", clip(native.regexpText(value))));
  if (accepts(native.bufferSize, value)) return bytes(writer, new native.NativeUint8Array(value), "ArrayBuffer");
  if (isPromise(value)) return spend(tagged("note", "a promise that was not awaited"));
  return null;
}

/**
 * @param {Writer} writer
 * @param {any} map
 * @param {string} path
 * @param {number} depth
 */
function mapEntries({ visit, isFull }, map, path, depth) {
  let text = "[";
  let skipped = 0;
  let index = 0;
  native.mapForEach(
    map,
    /** @type {(item: unknown, key: unknown) => void} */
    (item, key) => {
      if (isFull()) skipped += 1;
      else
        text += `${text === "[" ? "" : ","}[${visit(key, `${path}.key(${index})`, depth + 1)},${visit(item, `${path}.get(${index})`, depth + 1)}]`;
      index += 1;
    },
  );
  return `${text}${skipped === 0 ? "" : `${text === "[" ? "" : ","}${omittedItems(skipped)}`}]`;
}

/**
 * @param {Writer} writer
 * @param {any} set
 * @param {string} path
 * @param {number} depth
 */
function setItems({ visit, isFull }, set, path, depth) {
  let text = "[";
  let skipped = 0;
  let index = 0;
  native.setForEach(
    set,
    /** @type {(item: unknown) => void} */
    (item) => {
      if (isFull()) skipped += 1;
      else text += `${text === "[" ? "" : ","}${visit(item, `${path}.item(${index})`, depth + 1)}`;
      index += 1;
    },
  );
  return `${text}${skipped === 0 ? "" : `${text === "[" ? "" : ","}${omittedItems(skipped)}`}]`;
}

/**
 * @param {Writer} writer
 * @param {any} view
 * @param {string} name
 */
function bytes({ primitive, isFull }, view, name) {
  const items = name === "DataView" ? new native.NativeUint8Array(view.buffer, view.byteOffset, view.byteLength) : view;
  const length = native.typedArrayLength(items);
  let text = "[";
  let index = 0;
  for (; index < length && !isFull(); index++) text += `${index === 0 ? "" : ","}${primitive(items[index])}`;
  return `{"bytes":${native.stringify(name)},"length":${length},"items":${text}]}`;
}

/**
 * @param {Writer} writer
 * @param {any} value
 * @param {string} path
 * @param {number} depth
 */
function error({ quoted, element, fields }, value, path, depth) {
  const cause = native.hasOwn(value, "cause") ? `,"cause":${element(value, "cause", `${path}.cause`, depth)}` : "";
  const errors = native.hasOwn(value, "errors") ? `,"errors":${element(value, "errors", `${path}.errors`, depth)}` : "";
  return `{"error":${quoted(classOf(value))},"message":${quoted(clip(messageOf(value)))},"fields":${fields(value, path, depth)}${cause}${errors}}`;
}

/** @param {number} value */
export const isFiniteNumber = (value) => value - value === 0;

/**
 * @param {string} tag
 * @param {string} text
 */
export const tagged = (tag, text) => `{"${tag}":${native.stringify(text)}}`;

/** @param {number} count */
export const omittedItems = (count) => `{"omitted":${count}}`;
