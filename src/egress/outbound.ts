// Where outgoing requests enter the Worker: those of machines through the Container class's outbound interception, those of
// isolates through an entrypoint that is their entire network. Both identify the sandbox by its Durable Object, which the code
// inside cannot choose.

import { WorkerEntrypoint, waitUntil } from "cloudflare:workers";
import { ContainerProxy as PlatformProxy } from "@cloudflare/containers";
import type { Env } from "../config/env.ts";
import { handleEgress } from "./handler.ts";
import { MACHINE_AUDIENCE } from "./host-activity-log.ts";
import type { IsolateNetwork, NetworkProps } from "./isolate-network.ts";

/** Receives the requests of machines; the platform prescribes the name. Calls the outbound handler of the Container class. */
export class ContainerProxy extends PlatformProxy {
  override async fetch(request: Request): Promise<Response> {
    // The base class would throw, and the runtime's error page would show the machine paths of this host.
    if (!URL.canParse(request.url)) return new Response("The request URL is not valid.\n", { status: 400 });
    return super.fetch(request);
  }
}

/** The outbound handler of the Container class. */
export function handleMachineEgress(
  request: Request,
  env: Env,
  { containerId }: { containerId: string },
): Promise<Response> {
  return handleEgress(request, env, {
    policyService: env.SANDBOX.get(env.SANDBOX.idFromString(containerId)),
    from: "machine",
    audience: MACHINE_AUDIENCE,
    detach: waitUntil,
  });
}

/** The network of one isolate (its globalOutbound). */
export class IsolateEgress extends WorkerEntrypoint<Env, NetworkProps> {
  override fetch(request: Request): Promise<Response> {
    return handleEgress(request, this.env, {
      policyService: this.env.SANDBOX.getByName(this.ctx.props.objectName),
      from: "isolate",
      audience: this.ctx.props.run,
      detach: (work) => this.ctx.waitUntil(work),
    });
  }
}

/** The network of one run in the sandbox whose Durable Object has this name. */
export function isolateNetwork(env: Env, objectName: string): IsolateNetwork {
  const run = crypto.randomUUID();
  return {
    props: { objectName, run },
    refusals: () =>
      env.SANDBOX.getByName(objectName)
        .takeRefusals(run)
        .catch((error: unknown) => {
          console.error(error);
          return null;
        }),
  };
}
