// Table of contents: the fetch handler and the Durable Objects.

import type { Env } from "./env.ts";
import { handleRequest } from "./http.ts";

export { AccountObject } from "./account.ts";
export { PreviewObject } from "./previews/preview-object.ts";
export { SandboxObject } from "./sandbox/sandbox-object.ts";

export default {
  fetch: (request, env, context) => handleRequest(request, env, context),
} satisfies ExportedHandler<Env>;
