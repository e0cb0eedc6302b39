// The runner did not give a valid answer. That is foreseeable: a machine can end, and a command in it can stop the runner or answer in
// its place.

/**
 * `lost`: the connection was refused, or broke before the whole answer arrived. `late`: the answer did not come in time. `invalid`: the
 * answer breaks the contract.
 */
export type RunnerFaultKind = "lost" | "late" | "invalid";

export class RunnerFault extends Error {
  override name = "RunnerFault";
  readonly kind: RunnerFaultKind;

  constructor(kind: RunnerFaultKind, options?: ErrorOptions) {
    super(`The answer of the runner was ${kind}`, options);
    this.kind = kind;
  }
}

/** Reading the body of a response can fail in the same ways as the request itself. */
export async function unlessBroken<Value>(transport: Promise<Value>): Promise<Value> {
  try {
    return await transport;
  } catch (error) {
    throw error instanceof RunnerFault ? error : new RunnerFault("lost", { cause: error });
  }
}
