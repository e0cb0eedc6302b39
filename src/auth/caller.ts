// Who is calling. This is all that the code below HTTP knows about a caller.

export const SCOPES = ["sandbox:read", "sandbox:write", "sandbox:exec"] as const;
export type Scope = (typeof SCOPES)[number];

export interface Caller {
  /** The owner of sandboxes: `[a-z0-9][a-z0-9-]{0,39}`, so that `principal/sandbox` is unambiguous. */
  principal: string;
  scopes: ReadonlySet<Scope>;
}
