// The answer of help() inside the code: how to call the granted methods, with all types.

import { declareProvider } from "./declarations.ts";
import type { Grants } from "./grants.ts";

export function formatHelp(topic: string | null, grants: Grants): string {
  const { providers } = grants;
  const names = providers.map(({ name }) => name);
  if (topic === null) {
    const lines = providers.map(({ name, summary }) => `${name}: ${summary}. help("${name}") has its types`);
    return ["Granted to this run:", ...lines, errors].join("\n");
  }
  const provider = providers.find(({ name }) => name === topic.split(".")[0]);
  if (provider === undefined) return `There is no "${topic}". Granted to this run: ${names.join(", ")}`;
  return `${declareProvider(provider, grants)}\n${errors}`;
}

const errors = "A call that fails throws a SandboxError with `reason` and `message`.";
