// The search operations of the runner, by name.

import type { SearchRequest } from "../../../src/contract/search.ts";
import type { RunnerContext } from "../runner-context.ts";
import { search } from "./search.ts";

export const searchOperations = {
  search: (request: SearchRequest, { options }: Pick<RunnerContext, "options">) =>
    search(request, {
      workspace: options.workspace,
      home: options.home,
      program: options.environment["SANDBOX_RG"] ?? "rg",
    }),
} as const;
