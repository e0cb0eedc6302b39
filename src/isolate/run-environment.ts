// What the Worker provides to the runs of one caller.

import type { Scope } from "../auth/caller.ts";
import type { IsolateNetwork } from "../egress/isolate-network.ts";
import type { SandboxCalls } from "../sandbox/sandbox.ts";
import type { SandboxState } from "../sandbox/storage/state.ts";
import type { CodeRunnerStub } from "./code-runner.ts";
import type { Provider } from "./providers/provider.ts";

export interface RunEnvironment {
  codeRunner: CodeRunnerStub;
  /** Every provider of the deployment; grants.ts narrows them for one run. */
  providers: readonly Provider[];
  /** Whose runs queue behind each other. */
  principal: string;
  scopes: ReadonlySet<Scope>;
  openSandbox: (name: string) => SandboxCalls;
  openState: (name: string) => SandboxState;
  /** The network of one run; null for none. */
  openNetwork: (name: string) => IsolateNetwork | null;
  /** Keeps `work` running after the answer, and after the client has disconnected. */
  detach: (work: Promise<unknown>) => void;
}
