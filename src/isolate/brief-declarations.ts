// The declarations that fit into the description of the tool: how each method of the providers every deployment has is called,
// and the first fields of what it answers. help() inside the code has the rest.

import { briefOf } from "./declarations.ts";
import type { Provider } from "./providers/provider.ts";
import { sandbox } from "./providers/sandbox.ts";
import { state } from "./providers/state.ts";

export const briefProviders = (): string => [sandbox, state].map(briefProvider).join("\n");

const briefProvider = ({ name, methods }: Provider): string =>
  `${name}.\n${Object.entries(methods)
    .map(([method, definition]) => ` ${briefOf(method, definition)}`)
    .join("\n")}`;
