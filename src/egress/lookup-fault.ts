// Asks why a connection was not made. The runtime tells a Worker little more than a reference into its own log; where that log
// can be asked (the binding RUNTIME_FAULTS, which `npm start` gives), the answer is about this very connection. No name is
// looked up again, and nothing is let through by it.

import { Fault } from "./fault.ts";

/** Answers GET /<reference> with a Fault. */
export interface FaultLog {
  fetch(url: string): Promise<Response>;
}

/** `error` is what `fetch` threw. Never rejects. */
export async function askFault(host: string, error: unknown, faults: FaultLog | undefined): Promise<Fault> {
  console.warn(`Egress to ${host} failed:`, error);
  const message = error instanceof Error ? error.message : "";
  if (message.startsWith("Network connection lost")) return "no-answer";
  const reference = /^internal error; reference = (\w+)$/.exec(message)?.[1];
  if (reference === undefined || faults === undefined) return "unknown";
  try {
    return Fault.parse(await (await faults.fetch(`http://faults/${reference}`)).text());
  } catch (unanswered) {
    console.warn("The log of the runtime does not answer:", unanswered);
    return "unknown";
  }
}
