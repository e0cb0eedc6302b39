// The main module of the local Worker: the real one, except that its runner of generated code passes each run to a process
// apart (isolate-pool.ts), that those processes reach its egress through a gate, and that machines reach it by a secret name.

import { WorkerEntrypoint } from "cloudflare:workers";
import { SandboxObject as DeployedSandbox } from "./index.js";

export * from "./index.js";
export { default } from "./index.js";

/** The platform's messages for the same reasons. */
const messages = {
  cpu: "Worker exceeded CPU time limit.",
  memory: "Worker exceeded memory limit.",
  deadline: "The code was ended at its deadline.",
  crash: "The process that ran the code crashed.",
  caller: "The server is stopping.",
};

export class CodeRunner extends WorkerEntrypoint {
  async run(code, host, options, deadline) {
    const lease = await this.#takeLease(deadline);
    try {
      const answer = await this.env[`ISOLATES_${lease.slot}`].run(code, host, options, deadline);
      this.ctx.waitUntil(lease.giveBack());
      return answer;
    } catch (error) {
      const { reason, logs } = await lease.giveBack();
      if (reason === null) throw error;
      await host.call("all-logs", logs);
      throw new Error(messages[reason]);
    }
  }

  /** The pool ends the process when the body of the lease is closed early, which happens when the caller goes away. */
  async #takeLease(deadline) {
    const response = await this.env.ISOLATE_POOL.fetch(`http://pool/lease?deadline=${deadline}`);
    if (!response.ok) throw new Error(await response.text());
    const id = response.headers.get("lease");
    return {
      slot: response.headers.get("slot"),
      giveBack: async () => {
        const ended = await this.env.ISOLATE_POOL.fetch(`http://pool/release?lease=${id}`, { method: "POST" });
        await response.body.cancel();
        return ended.json();
      },
    };
  }
}

/**
 * Registers its outbound handler for one secret name instead of every host. workerd takes what a machine sends on a port of loopback,
 * which other users of the host reach too; connections that do not name this host, which only the engine does, get nothing.
 */
export class SandboxObject extends DeployedSandbox {
  static {
    SandboxObject.outbound = DeployedSandbox.outbound;
  }

  constructor(ctx, env) {
    const { container } = ctx;
    const { interceptOutboundHttp, interceptOutboundHttps } = container;
    if (env.EGRESS_HOSTNAME !== "*") {
      container.interceptAllOutboundHttp = (handler) =>
        interceptOutboundHttp.call(container, env.EGRESS_HOSTNAME, handler);
      container.interceptOutboundHttps = (_, handler) =>
        interceptOutboundHttps.call(container, env.EGRESS_HOSTNAME, handler);
    }
    super(ctx, env);
  }
}

export class IsolateEgressGate extends WorkerEntrypoint {
  fetch(request) {
    const headers = new Headers(request.headers);
    const [given, token] = [headers.get("x-isolate-token") ?? "", this.env.ISOLATE_EGRESS_TOKEN].map(encode);
    if (given.length !== token.length || !crypto.subtle.timingSafeEqual(given, token))
      return new Response(null, { status: 403 });
    const props = JSON.parse(headers.get("x-isolate-props"));
    headers.delete("x-isolate-token");
    headers.delete("x-isolate-props");
    const url = headers.get("x-isolate-url");
    headers.delete("x-isolate-url");
    return this.ctx.exports.IsolateEgress({ props }).fetch(new Request(url, new Request(request, { headers })));
  }
}

const encode = (text) => new TextEncoder().encode(text);
