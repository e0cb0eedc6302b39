// Every provider of this deployment. A new one is a file in this folder that exports a Provider, and a line below.

import { github } from "./github.ts";
import type { Provider } from "./provider.ts";
import { sandbox } from "./sandbox.ts";
import { state } from "./state.ts";

/** The settings of the Worker that providers depend on. */
export interface ProviderSettings {
  /** The repository that `github` reads, as "owner/name". Without it or the token there is no `github`. */
  GITHUB_REPOSITORY?: string;
  /** Secret: a token that may read the repository. It never reaches an isolate. */
  GITHUB_TOKEN?: string;
  /** The API of another GitHub than api.github.com. */
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
