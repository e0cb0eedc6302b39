// The console of a run: every level, with what was logged written down at once (it may change later) and handed on in
// batches. What a console does with formats and tables is done where the log is read (value/log-text.ts).

import { describe } from "./describe.js";
import * as native from "./intrinsics.js";

/**
 * @typedef {object} LogChannel
 * @property {(batch: string) => Promise<boolean>} send a JSON array of entries; false when no more are wanted
 * @property {number} maxChars of entries in all; the rest is counted only
 */

/** @param {LogChannel} channel */
export function createConsole({ send, maxChars }) {
  let room = maxChars;
  let waiting = "";
  /** @type {Promise<void> | null} */
  let sending = null;
  let leftOut = 0;
  let indent = 0;
  const counts = native.create(null);
  const timers = native.create(null);

  return {
    console: makeConsole(),
    /** Resolves with the number of entries left out, when all others have been taken. */
    async sent() {
      while (sending !== null) await sending;
      return leftOut;
    },
  };

  /**
   * @param {string} level
   * @param {any} values array-like
   */
  function add(level, values) {
    if (room <= 0) {
      leftOut += 1;
      return;
    }
    let parts = "";
    for (let index = 0; index < values.length; index++) {
      const bounds = { maxChars: native.min(room, 20_000), maxDepth: 8, settled: new native.NativeMap() };
      parts += `${index === 0 ? "" : ","}${describe(values[index], bounds)}`;
    }
    const entry = `{"level":"${level}","indent":${indent},"parts":[${parts}]}`;
    room -= entry.length;
    waiting += `${waiting === "" ? "" : ","}${entry}`;
    sending ??= flush();
  }

  async function flush() {
    try {
      while (waiting !== "") {
        const batch = `[${waiting}]`;
        waiting = "";
        if (!(await send(batch))) room = 0;
      }
    } catch {
      // The run has ended on the other side.
      room = 0;
    } finally {
      sending = null;
    }
  }

  function makeConsole() {
    /** @param {string} level */
    const at =
      (level) =>
      /** @param {unknown[]} values */
      (...values) =>
        add(level, values);
    /** @param {unknown} label */
    const labelOf = (label) => (label === undefined ? "default" : `${label}`);
    /** @param {unknown[]} values */
    const group = (...values) => {
      if (values.length > 0) add("log", values);
      if (indent < 20) indent += 1;
    };
    /** @param {string} label */
    const elapsed = (label) => `${label}: ${now() - timers[label]} ms`;
    return {
      log: at("log"),
      info: at("log"),
      debug: at("debug"),
      warn: at("warn"),
      error: at("error"),
      table: at("table"),
      /** @param {unknown} value */
      dir: (value) => add("log", [value]),
      /** @param {unknown[]} values */
      dirxml: (...values) => add("log", values),
      /** @param {unknown[]} values */
      trace: (...values) => {
        add("trace", values);
      },
      /**
       * @param {unknown} condition
       * @param {unknown[]} values
       */
      assert: (condition, ...values) => {
        if (!condition) add("assert", values);
      },
      /** @param {unknown} [label] */
      count: (label) => {
        const name = labelOf(label);
        counts[name] = (counts[name] ?? 0) + 1;
        add("log", [`${name}: ${counts[name]}`]);
      },
      /** @param {unknown} [label] */
      countReset: (label) => {
        counts[labelOf(label)] = 0;
      },
      group,
      groupCollapsed: group,
      groupEnd: () => {
        if (indent > 0) indent -= 1;
      },
      /** @param {unknown} [label] */
      time: (label) => {
        timers[labelOf(label)] = now();
      },
      /** @param {unknown} [label] */
      timeEnd: (label) => {
        const name = labelOf(label);
        if (timers[name] === undefined) return;
        add("log", [elapsed(name)]);
        delete timers[name];
      },
      /** @param {unknown} [label] */
      timeLog: (label) => {
        const name = labelOf(label);
        if (timers[name] !== undefined) add("log", [elapsed(name)]);
      },
      clear: () => undefined,
    };
  }
}

const { now } = Date;
