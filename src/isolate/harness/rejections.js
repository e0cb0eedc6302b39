// Collects errors that nothing awaits: promises rejected without a handler, and errors thrown in timers. A rejection that is
// handled late (a promise awaited after another one) is removed again.

import * as native from "./intrinsics.js";

export function createRejections() {
  const open = new native.NativeMap();
  /** @type {{ thrown: unknown } | null} */
  let thrownInTimer = null;
  addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    native.mapSet(open, event.promise, { thrown: event.reason });
  });
  addEventListener("rejectionhandled", (event) => native.mapDelete(open, event.promise));

  return {
    /** @param {unknown} thrown */
    add(thrown) {
      thrownInTimer ??= { thrown };
    },
    /** @returns {{ thrown: unknown, how: "timer" | "rejection" } | null} */
    first() {
      if (thrownInTimer !== null) return { thrown: thrownInTimer.thrown, how: "timer" };
      /** @type {{ thrown: unknown } | null} */
      let first = null;
      native.mapForEach(
        open,
        /** @param {{ thrown: unknown }} entry */
        (entry) => {
          first ??= entry;
        },
      );
      return first === null ? null : { thrown: /** @type {{ thrown: unknown }} */ (first).thrown, how: "rejection" };
    },
  };
}
