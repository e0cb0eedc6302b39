// The methods of a preview's Durable Object.

export interface PreviewRpc {
  /** `sandbox` is the name of the sandbox's Durable Object, `expiresAt` epoch milliseconds. */
  assign(sandbox: string, expiresAt: number): Promise<void>;
  /** Resolves to the name of the sandbox's Durable Object; null when the token is not assigned. */
  find(): Promise<string | null>;
  revoke(): Promise<void>;
}
