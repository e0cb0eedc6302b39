// The console of a run, with all its methods. Values are described at once, because they may change later, and sent in
// batches. Format specifiers and tables are handled where the log is read (value/format-log.ts).

import { describe } from "./describe.js";
import * as native from "./intrinsics.js";

/**
 * @typedef {object} LogChannel
 * @property {(batch: string) => Promise<boolean>} send takes a JSON array of entries; false when further entries would be dropped
 * @property {(entry: string) => void} print receives each entry at once, while the code still runs
 * @property {number} maxChars of all entries together; further entries are only counted
 */

/** @param {LogChannel} channel */
export function createConsole({ send, print, maxChars }) {
  let room = maxChars;
  let waiting = "";
  /** @type {Promise<void> | null} */
  let sending = null;
  let omitted = 0;
  let indent = 0;
  const counts = native.create(null);
  const timers = native.create(null);

  return {
    console: makeConsole(),
    /** Resolves with the number of omitted entries once all others are sent. */
    async sent() {
      while (sending !== null) await sending;
      return omitted;
    },
  };

  /**
   * @param {string} level
   * @param {any} values array-like
   */
  function add(level, values) {
    if (room <= 0) {
      omitted += 1;
      return;
    }
    let parts = "";
    for (let index = 0; index < values.length; index++) {
      const bounds = { maxChars: native.min(room, 20_000), maxDepth: 8, settled: new native.NativeMap() };
      parts += `${index === 0 ? "" : ","}${describe(values[index], bounds)}`;
    }
    const entry = `{"level":"${level}","indent":${indent},"parts":[${parts}]}`;
    room -= entry.length;
    print(entry);
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
      // The run has ended, so nothing receives the log any more.
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
