// The short declarations in the description of run_js: how to call each method of the providers that every deployment has,
// and the first fields of its result. help() inside the code has the rest.

import { formatBriefly } from "./declarations.ts";
import type { Provider } from "./providers/provider.ts";
import { sandbox } from "./providers/sandbox.ts";
import { state } from "./providers/state.ts";

export const briefDeclarations = (): string => [sandbox, state].map(briefProvider).join("\n");

const briefProvider = ({ name, methods }: Provider): string =>
  `${name}.\n${Object.entries(methods)
    .map(([method, definition]) => ` ${formatBriefly(method, definition)}`)
    .join("\n")}`;
