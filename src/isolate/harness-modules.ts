// The files of the harness as text. They run in the isolate exactly as they are written in harness/; a rule in
// wrangler.jsonc makes these imports text.

import calls from "./harness/calls.js";
import console from "./harness/console.js";
import describe from "./harness/describe.js";
import describeBuiltin from "./harness/describe-builtin.js";
import globals from "./harness/globals.js";
import intrinsics from "./harness/intrinsics.js";
import kinds from "./harness/kinds.js";
import main from "./harness/main.js";
import rejections from "./harness/rejections.js";
import settle from "./harness/settle.js";
import stackBelow from "./harness/stack-below.js";
import thrown from "./harness/thrown.js";

export const MAIN_MODULE = "main.js";

export const harnessModules: Readonly<Record<string, string>> = {
  [MAIN_MODULE]: main,
  "calls.js": calls,
  "console.js": console,
  "describe.js": describe,
  "describe-builtin.js": describeBuiltin,
  "globals.js": globals,
  "intrinsics.js": intrinsics,
  "kinds.js": kinds,
  "rejections.js": rejections,
  "settle.js": settle,
  "stack-below.js": stackBelow,
  "thrown.js": thrown,
};
