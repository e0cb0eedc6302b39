// The bindings and settings of the Worker as Cloudflare hands them over. settings.ts resolves the text ones.

import type { AccountRpc } from "../account/account-rpc.ts";
import type { ProviderSettings } from "../isolate/providers/index.ts";
import type { PreviewRpc } from "../sandbox/previews/preview-rpc.ts";
import type { SandboxRpc } from "../sandbox/sandbox-rpc.ts";

export interface Env extends ProviderSettings {
  SANDBOX: DurableObjectNamespace<SandboxRpc & Rpc.DurableObjectBranded>;
  ACCOUNT: DurableObjectNamespace<AccountRpc & Rpc.DurableObjectBranded>;
  PREVIEW: DurableObjectNamespace<PreviewRpc & Rpc.DurableObjectBranded>;
  /** The files of sandboxes. */
  CHECKPOINTS: R2Bucket;
  /** Makes the isolates of run_js. */
  LOADER: WorkerLoader;
  /** Secret: who may call. See auth/access-keys.ts for its form. */
  ACCESS_KEYS?: string;
  /** Host names under which this server answers, comma-separated; the loopback names always do. */
  ALLOWED_HOSTS?: string;
  /** When a machine without work sleeps, such as "10m". */
  SLEEP_AFTER?: string;
  /** How long a background process keeps a machine awake after the last call, such as "4h". */
  LONGEST_AWAKE?: string;
  /** How long after the last change files are stored, such as "30s". */
  CHECKPOINT_AFTER?: string;
  /** Directories kept beside /workspace and the home directory: absolute paths, comma-separated. */
  CHECKPOINT_PATHS?: string;
  /** How many sandboxes a principal may have, and how many of them may be awake at once. */
  MAX_SANDBOXES?: string;
  MAX_AWAKE?: string;
  /** The domain under which previews get host names of their own, such as "preview.example.com"; without it there are none. */
  PREVIEW_DOMAIN?: string;
  /** What any sandbox may reach at most: a preset, hosts, or both; default "internet". See egress/presets.ts. */
  EGRESS_CEILING?: string;
  /** The preset of a sandbox that was not configured; default "packages". */
  EGRESS_DEFAULT?: string;
  /** Which Worker secrets are added to requests to which hosts, as JSON. See egress/secrets.ts. */
  EGRESS_SECRETS?: string;
}
