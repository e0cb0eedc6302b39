// The environment of a command, built from nothing: what programs need, and what keeps them from prompting and from paging.

import { CERTIFICATE_BUNDLE_VARIABLES } from "../../image/certificate-variables.ts";
import { MARKER } from "./census.ts";

export interface EnvironmentOptions {
  home: string;
  /** The runner's own environment, of which only the variables in `PASSED_DOWN` are passed on. */
  environment: Readonly<Record<string, string | undefined>>;
}

/** Variables by which the machine configures its commands. */
const PASSED_DOWN = [
  "NPM_CONFIG_PREFIX",
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_DIR",
  ...CERTIFICATE_BUNDLE_VARIABLES,
  "TAR_OPTIONS",
  "TZ",
];

const NO_PROMPTS = {
  CI: "1",
  DEBIAN_FRONTEND: "noninteractive",
  APT_LISTCHANGES_FRONTEND: "none",
  NEEDRESTART_MODE: "a",
  UCF_FORCE_CONFFOLD: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_EDITOR: "true",
  GIT_SEQUENCE_EDITOR: "true",
  EDITOR: "true",
  VISUAL: "true",
  GIT_MERGE_AUTOEDIT: "no",
  GIT_ASKPASS: "/bin/false",
  SSH_ASKPASS: "/bin/false",
  SSH_ASKPASS_REQUIRE: "force",
  SUDO_ASKPASS: "/bin/false",
  GIT_SSH_COMMAND: "ssh -o BatchMode=yes",
  GCM_INTERACTIVE: "never",
  npm_config_yes: "true",
  npm_config_update_notifier: "false",
  npm_config_fund: "false",
  COREPACK_ENABLE_DOWNLOAD_PROMPT: "0",
  YARN_ENABLE_TELEMETRY: "0",
  NO_UPDATE_NOTIFIER: "1",
  NEXT_TELEMETRY_DISABLED: "1",
  ASTRO_TELEMETRY_DISABLED: "1",
  NG_CLI_ANALYTICS: "false",
  DO_NOT_TRACK: "1",
  PIP_NO_INPUT: "1",
  PIP_DISABLE_PIP_VERSION_CHECK: "1",
  PIP_ROOT_USER_ACTION: "ignore",
  POETRY_NO_INTERACTION: "1",
  COMPOSER_NO_INTERACTION: "1",
  COMPOSER_ALLOW_SUPERUSER: "1",
  DOTNET_NOLOGO: "1",
  DOTNET_CLI_TELEMETRY_OPTOUT: "1",
  GH_PROMPT_DISABLED: "1",
  GH_NO_UPDATE_NOTIFIER: "1",
  CLOUDSDK_CORE_DISABLE_PROMPTS: "1",
  TF_INPUT: "0",
  WRANGLER_SEND_METRICS: "false",
  HOMEBREW_NO_AUTO_UPDATE: "1",
} as const;

const NO_PAGERS = {
  PAGER: "cat",
  GIT_PAGER: "cat",
  MANPAGER: "cat",
  SYSTEMD_PAGER: "cat",
  BAT_PAGER: "cat",
  DELTA_PAGER: "cat",
  GH_PAGER: "cat",
  AWS_PAGER: "",
  PSQL_PAGER: "cat",
} as const;

export interface CommandEnvironment {
  marker: string;
  /** The command runs on a terminal, so that programs may prompt, and know the kind of terminal. */
  terminal: boolean;
  requested: Readonly<Record<string, string>>;
}

export function buildEnvironment(command: CommandEnvironment, options: EnvironmentOptions): Record<string, string> {
  const { CI, ...noPromptsOnTerminal } = NO_PROMPTS;
  return {
    ...pickPassedDown(options.environment),
    PATH: `${options.home}/.local/bin:${options.home}/.cargo/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
    HOME: options.home,
    USER: options.environment["USER"] ?? "root",
    LOGNAME: options.environment["USER"] ?? "root",
    SHELL: "/bin/bash",
    LANG: "C.UTF-8",
    PYTHONUNBUFFERED: "1",
    ...NO_PAGERS,
    ...noPromptsOnTerminal,
    ...(command.terminal ? { TERM: "xterm-256color" } : { TERM: "dumb", CI }),
    ...command.requested,
    [MARKER]: command.marker,
  };
}

function pickPassedDown(environment: EnvironmentOptions["environment"]): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const name of PASSED_DOWN) {
    const value = environment[name];
    if (value !== undefined) passed[name] = value;
  }
  return passed;
}
