// Table of contents: the fetch handler, the Durable Objects, and the entrypoints that run generated code and receive the
// outgoing requests of machines and isolates.

import type { Env } from "./config/env.ts";
import { handleRequest } from "./http/router.ts";

export { AccountObject } from "./account/account-object.ts";
export { ContainerProxy, IsolateEgress } from "./egress/outbound.ts";
export { CodeRunner } from "./isolate/code-runner.ts";
export { PreviewObject } from "./sandbox/previews/preview-object.ts";
export { SandboxObject } from "./sandbox/sandbox-object.ts";

export default {
  fetch: (request, env, context) => handleRequest(request, env, context),
} satisfies ExportedHandler<Env>;
