// What all machines of an engine have in common.

import type { Gap } from "../../../src/contract/gap.ts";
import type { Cgroups } from "../cgroup/cgroup.ts";
import type { MachineDisks } from "../disk/machine-disks.ts";
import type { SharedDisk } from "../disk/shared-disk.ts";
import type { MachineLimits } from "../limits.ts";
import type { MachineEtc } from "../rootfs/machine-etc.ts";
import type { MachineTools } from "../rootfs/machine-tools.ts";

export interface EngineConfig {
  /** Where the directories of machines are made. */
  readonly directory: string;
  readonly cgroups: Cgroups;
  readonly etc: MachineEtc;
  readonly tools: MachineTools;
  readonly limits: MachineLimits;
  /** The start of a command that loads the filter of system calls. Empty where none can be loaded. */
  readonly loadFilter: readonly string[];
  /** What cannot be set up on this host. */
  readonly gaps: readonly Gap[];
  /** Undefined where machines share the disk of the host. */
  readonly disks: MachineDisks | undefined;
  /** Undefined where they do not. */
  readonly sharedDisk: SharedDisk | undefined;
  /** The directory of the certificates that machines trust. */
  readonly trustStore: string;
  /** Directories of `/usr` that a machine may write in. Empty where overlays do not work: `/usr` is read-only then. */
  readonly usrDirectories: readonly string[];
  /** Host paths that must not be visible even where they are below a system directory. */
  readonly hidden: readonly string[];
  /** Aborted when the engine ends: machines that are starting are given up. */
  readonly closing: AbortSignal;
}
