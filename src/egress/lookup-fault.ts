// Looks up why a connection failed. The runtime gives a Worker little more than a reference into the runtime's own log;
// where that log can be queried (the binding RUNTIME_FAULTS, which `npm start` provides), it knows about this very
// connection. No name is resolved again, and the result never allows a request.

import { Fault } from "./fault.ts";

/** Answers GET /<reference> with a Fault. */
export interface FaultLog {
  fetch(url: string): Promise<Response>;
}

/** `error` is what `fetch` threw. Never rejects. */
export async function lookUpFault(host: string, error: unknown, faults: FaultLog | undefined): Promise<Fault> {
  console.warn(`Egress to ${host} failed:`, error);
  const message = error instanceof Error ? error.message : "";
  if (message.startsWith("Network connection lost")) return "no-answer";
  const reference = /^internal error; reference = (\w+)$/.exec(message)?.[1];
  if (reference === undefined || faults === undefined) return "unknown";
  try {
    return Fault.parse(await (await faults.fetch(`http://faults/${reference}`)).text());
  } catch (lookupError) {
    console.warn("The runtime's fault log cannot be read:", lookupError);
    return "unknown";
  }
}
