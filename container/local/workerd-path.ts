// The installed program of workerd.

import { createRequire } from "node:module";
import * as z from "zod";

/** The package, which has no types, exports the path of its program. */
export const installedWorkerd = (): string =>
  z.object({ default: z.string() }).parse(createRequire(import.meta.url)("workerd")).default;
