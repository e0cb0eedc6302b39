// Where requests come in: those of machines, by the outbound interception of the Container class, and those of isolates, by
// an entrypoint that is their whole network. Both name the sandbox by the id of its Durable Object, which neither can choose.

import { WorkerEntrypoint, waitUntil } from "cloudflare:workers";
import { ContainerProxy as PlatformProxy } from "@cloudflare/containers";
import type { Env } from "../config/env.ts";
import { handleEgress } from "./handler.ts";
import { MACHINE } from "./host-activity-log.ts";

/** Where requests of machines come in; the name is the platform's. Calls the handler of the Container class. */
export class ContainerProxy extends PlatformProxy {
  override async fetch(request: Request): Promise<Response> {
    // It would throw, and the runtime's answer would tell the machine of this host's directories.
    if (!URL.canParse(request.url)) return new Response("The request names no URL.\n", { status: 400 });
    return super.fetch(request);
  }
}

/** The handler of the Container class. */
export function handleMachineEgress(
  request: Request,
  env: Env,
  { containerId }: { containerId: string },
): Promise<Response> {
  return handleEgress(request, env, {
    gate: env.SANDBOX.get(env.SANDBOX.idFromString(containerId)),
    from: "machine",
    teller: MACHINE,
    detach: waitUntil,
  });
}

/** The network of an isolate (globalOutbound). `run` is a name for it that no other has. */
export class IsolateEgress extends WorkerEntrypoint<Env, { sandboxId: string; run: string }> {
  override fetch(request: Request): Promise<Response> {
    return handleEgress(request, this.env, {
      gate: this.env.SANDBOX.get(this.env.SANDBOX.idFromString(this.ctx.props.sandboxId)),
      from: "isolate",
      teller: this.ctx.props.run,
      detach: (work) => this.ctx.waitUntil(work),
    });
  }
}

export interface IsolateNetwork {
  /** All the network there is for the code (globalOutbound). */
  outbound: Fetcher;
  /** What was refused to the code so far, as a sentence that is given once; null for nothing. Never rejects. */
  refusals(): Promise<string | null>;
}

/** Of one isolate. The sandbox is named by its Durable Object. */
export function isolateNetwork(env: Env, { exports }: ExecutionContext, objectName: string): IsolateNetwork {
  const id = env.SANDBOX.idFromName(objectName);
  const run = crypto.randomUUID();
  return {
    outbound: exports.IsolateEgress({ props: { sandboxId: id.toString(), run } }),
    refusals: () =>
      env.SANDBOX.get(id)
        .takeRefusals(run)
        .catch((error: unknown) => {
          console.error(error);
          return null;
        }),
  };
}
