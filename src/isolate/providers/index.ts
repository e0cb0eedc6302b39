// Every provider of this deployment. To add one: a file here that makes a Provider, and its line below.

import type { Env } from "../../env.ts";
import { github } from "./github.ts";
import type { Provider } from "./provider.ts";
import { sandbox } from "./sandbox.ts";
import { state } from "./state.ts";

export function providersOf(env: Env): Provider[] {
  const { GITHUB_REPOSITORY: repository, GITHUB_TOKEN: token, GITHUB_API_URL: apiUrl } = env;
  if (!repository || !token || !/^[\w.-]+\/[\w.-]+$/.test(repository)) return [sandbox, state];
  return [
    sandbox,
    state,
    github({ repository, token, apiUrl: (apiUrl ?? "https://api.github.com").replace(/\/+$/, "") }),
  ];
}
