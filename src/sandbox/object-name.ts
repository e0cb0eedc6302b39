// The name of a sandbox's Durable Object: `principal/sandbox`. Neither part contains a slash.

export interface SandboxIdentity {
  principal: string;
  name: string;
}

export const objectName = ({ principal, name }: SandboxIdentity): string => `${principal}/${name}`;

export function identityOf(name: string): SandboxIdentity {
  const slash = name.indexOf("/");
  return { principal: name.slice(0, slash), name: name.slice(slash + 1) };
}
