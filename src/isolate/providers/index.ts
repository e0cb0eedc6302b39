// Every provider of this deployment. To add one: a file here that makes a Provider, and its line below.

import { github } from "./github.ts";
import type { Provider } from "./provider.ts";
import { sandbox } from "./sandbox.ts";
import { state } from "./state.ts";

/** The settings of the Worker that providers are made from. */
export interface ProviderSettings {
  /** The repository that `github` reads, "owner/name"; with the token, or it is not there. */
  GITHUB_REPOSITORY?: string;
  /** Secret: a token that may read it. It never reaches an isolate. */
  GITHUB_TOKEN?: string;
  /** Another GitHub than api.github.com. */
  GITHUB_API_URL?: string;
}

export function providersOf(env: ProviderSettings): Provider[] {
  const { GITHUB_REPOSITORY: repository, GITHUB_TOKEN: token, GITHUB_API_URL: apiUrl } = env;
  if (!repository || !token || !/^[\w.-]+\/[\w.-]+$/.test(repository)) return [sandbox, state];
  return [
    sandbox,
    state,
    github({ repository, token, apiUrl: (apiUrl ?? "https://api.github.com").replace(/\/+$/, "") }),
  ];
}
