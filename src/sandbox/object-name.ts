// The name of a sandbox's Durable Object: `principal/sandbox`. Neither part has a slash.

export interface SandboxIdentity {
  principal: string;
  name: string;
}

export const objectName = ({ principal, name }: SandboxIdentity): string => `${principal}/${name}`;

/** An alarm may come without the name, so that it is kept. */
export function identityOf({ id, storage }: DurableObjectState<object>): SandboxIdentity {
  const known = storage.kv.get<string>("object_name");
  const name = id.name ?? known;
  if (name === undefined) throw new Error("This sandbox was reached without its name");
  if (known === undefined) storage.kv.put("object_name", name);
  const slash = name.indexOf("/");
  return { principal: name.slice(0, slash), name: name.slice(slash + 1) };
}
