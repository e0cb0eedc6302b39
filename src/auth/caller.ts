// Who is calling. Everything below HTTP knows a caller by this and nothing else.

export const SCOPES = ["sandbox:read", "sandbox:write", "sandbox:exec"] as const;
export type Scope = (typeof SCOPES)[number];

export interface Caller {
  /** The owner of sandboxes: `[a-z0-9][a-z0-9-]{0,39}`, so that `principal/sandbox` has one reading. */
  principal: string;
  scopes: ReadonlySet<Scope>;
}
