// Where requests come in: those of machines, by the outbound interception of the Container class, and those of isolates, by
// an entrypoint that is their whole network. Both name the sandbox by the id of its Durable Object, which neither can choose.

import { WorkerEntrypoint, waitUntil } from "cloudflare:workers";
import type { Env } from "../env.ts";
import { handleEgress } from "./handler.ts";

/** The handler of the Container class. */
export function handleMachineEgress(
  request: Request,
  env: Env,
  { containerId }: { containerId: string },
): Promise<Response> {
  return handleEgress(request, env, {
    gate: env.SANDBOX.get(env.SANDBOX.idFromString(containerId)),
    from: "machine",
    detach: waitUntil,
  });
}

/** The network of an isolate (globalOutbound). */
export class IsolateEgress extends WorkerEntrypoint<Env, { sandboxId: string }> {
  override fetch(request: Request): Promise<Response> {
    return handleEgress(request, this.env, {
      gate: this.env.SANDBOX.get(this.env.SANDBOX.idFromString(this.ctx.props.sandboxId)),
      from: "isolate",
      detach: (work) => this.ctx.waitUntil(work),
    });
  }
}

/** The network of the isolates of one sandbox, which is named by its Durable Object. */
export function isolateNetwork(env: Env, { exports }: ExecutionContext, objectName: string): Fetcher {
  return exports.IsolateEgress({ props: { sandboxId: env.SANDBOX.idFromName(objectName).toString() } });
}
