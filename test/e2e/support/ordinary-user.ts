// Runs `npm start` as a user without privileges when the tests run as root. An overlay makes the project writable for that user
// without changing it, in a mount namespace that ends with the server.

import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectDir } from "./start-server.ts";

export interface OrdinaryUser {
  uid: number;
  /** The command for startServer(). */
  command: readonly string[];
  env: Record<string, string>;
  stateDir: string;
  /** Removes the home directory, after the server has ended. */
  remove(): void;
}

/** No account has this id. */
const UID = 1_234_568;

export function ordinaryUser(): OrdinaryUser {
  const home = mkdtempSync(join(tmpdir(), "ordinary-"));
  const stateDir = join(home, "state");
  for (const directory of ["layer", "project", "modules", "state"]) mkdirSync(join(home, directory));
  for (const path of [home, stateDir]) chownSync(path, UID, UID);
  chmodSync(home, 0o755);
  cpSync(process.execPath, join(home, "node"));
  return {
    ...{ uid: UID, stateDir },
    command: ["unshare", "--mount", "sh", "-ec", SCRIPT, "sh", String(UID), home, projectDir, realModules()],
    env: { HOME: home, XDG_STATE_HOME: join(home, "xdg-state") },
    remove: () => rmSync(home, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** node_modules may be a symbolic link. */
const realModules = (): string => realpathSync(join(projectDir, "node_modules"));

const SCRIPT = `
uid=$1 home=$2 project=$3 modules=$4
mount -t tmpfs tmpfs "$home/layer"
mkdir "$home/layer/upper" "$home/layer/work"
mount -t overlay -o "lowerdir=$project,upperdir=$home/layer/upper,workdir=$home/layer/work" overlay "$home/project"
rm -rf "$home/project/.wrangler" "$home/project/node_modules"
mkdir "$home/project/.wrangler" "$home/project/node_modules"
mount --bind "$modules" "$home/project/node_modules"
chown "$uid:$uid" "$home/project" "$home/project/.wrangler"
cd "$home/project"
exec setpriv --reuid "$uid" --regid "$uid" --clear-groups --inh-caps=-all "$home/node" container/local/main.ts
`;
