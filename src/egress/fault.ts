// Why the runtime could not connect to a host, and the text for each reason. The reason is in the message of the error that fetch()
// throws, which no host can choose. No name is resolved again, and the result never allows a request.

/** `restricted` means that the name resolves to a blocked address. For most faults the platform reports only `unknown`. */
export type Fault = "restricted" | "no-name" | "no-trust" | "no-answer" | "unknown";

/** The wording is workerd's. The platform often withholds it behind "internal error; reference = …". */
const REASONS: readonly (readonly [RegExp, Fault])[] = [
  [/^connecting to \S+ is not allowed$/, "restricted"],
  [/^failed to lookup address information/, "no-name"],
  [/^TLS handshake failed/, "no-trust"],
  [/^Network connection lost/, "no-answer"],
];

/** Takes the message of what fetch() threw. */
export const faultOf = (message: string): Fault => REASONS.find(([pattern]) => pattern.test(message))?.[1] ?? "unknown";

export const faultMessages: Record<Exclude<Fault, "restricted">, string> = {
  "no-name": "the name does not exist",
  "no-trust": "it does not speak TLS, or its certificate is not trusted",
  "no-answer": "it does not answer",
  unknown: "its name does not exist or resolves to a private network, or it does not answer",
};
