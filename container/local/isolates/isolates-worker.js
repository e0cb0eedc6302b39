// The Worker in a process that runs isolates: the runner of the real Worker, and an egress that passes requests on to it.

import { RpcTarget, WorkerEntrypoint } from "cloudflare:workers";
import { CodeRunner as DirectRunner } from "../../../src/isolate/code-runner.ts";

export class CodeRunner extends DirectRunner {
  /** Answers while the process can run code. For /warm-up it runs some first, because the first run of a process is slow. */
  async fetch(request) {
    if (new URL(request.url).pathname === "/warm-up") await super.run(TRIVIAL, new SilentHost(), OPTIONS, 0);
    return new Response(null, { status: 204 });
  }

  run(code, host, options, deadline) {
    // The pool reads the entries from the output of the process.
    return super.run(code, host, { ...options, printLogs: true }, deadline);
  }
}

const TRIVIAL = { source: "export default 1", usesNode: false, network: null };
const OPTIONS = {
  ...{ grants: {}, input: undefined, hasNetwork: false, callMain: false, modules: [] },
  ...{ atOnce: 1, resultChars: 1_000, logChars: 1_000, printLogs: false },
};

class SilentHost extends RpcTarget {
  call() {
    return true;
  }
}

export class IsolateEgress extends WorkerEntrypoint {
  fetch(request) {
    const headers = new Headers(request.headers);
    headers.set("x-isolate-props", JSON.stringify(this.ctx.props));
    headers.set("x-isolate-token", this.env.EGRESS_TOKEN);
    // The connection to the other process is HTTP, and would make http: of https:.
    headers.set("x-isolate-url", request.url);
    return this.env.EGRESS.fetch(new Request(request, { headers }));
  }
}

export default {};
