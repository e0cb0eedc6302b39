// The flags that a bind mount must keep of the mount it is made from, by the kernel's list of mounts.

import { describe, expect, it } from "vitest";
import {
  type HostMount,
  lockedFlags,
  mountsBelow,
  readHostMounts,
} from "../../../container/engine/rootfs/host-mounts.ts";
import { machineFstab } from "../../../container/engine/rootfs/machine-mounts.ts";

const mounts = readHostMounts(
  [
    "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw",
    "28 27 0:25 / /usr ro,nodev,noatime - ext4 /dev/vdb rw",
    "29 28 0:26 / /usr/share/a\\040b rw,nosuid,noexec,relatime - tmpfs none rw",
    "30 27 0:27 / /usrlocal rw,nosuid - tmpfs none rw",
  ].join("\n"),
);

describe("lockedFlags()", () => {
  it.each([
    ["/etc/ssl", ["relatime"]],
    ["/usr", ["nodev", "noatime"]],
    ["/usr/lib", ["nodev", "noatime"]],
    ["/usr/share/a b/c", ["nosuid", "noexec", "relatime"]],
    ["/usrlocal/x", ["nosuid"]],
  ])("of %s are those of the mount that holds it", (path, flags) => {
    expect(lockedFlags(mounts, path)).toEqual(flags);
  });
});

describe("mountsBelow()", () => {
  it("excludes the path itself and paths that merely start with the same letters", () => {
    expect(mountsBelow(mounts, "/usr")).toEqual(["/usr/share/a b"]);
  });
});

describe("machineFstab()", () => {
  const usr = { usr: "/s/usr", usrWork: "/s/usr-work" };
  const directory = { root: "/s/root", local: "/s/local", relay: "/s/relay", ...usr };
  const hidden = ["/usr/src/project", "/usr/local/src/project", "/home/project"];
  const ofUsr = (canOverlayUsr: boolean, hostMounts: readonly HostMount[]) =>
    machineFstab(
      {
        ...{ directory, canOverlayUsr, readOnly: new Map(), writable: new Map(), writableFiles: new Map(), hidden },
        hidesKernelKeys: true,
      },
      hostMounts,
    )
      .split("\n")
      .filter((line) => line.includes("/usr"));
  const rest = [
    "/s/local /s/root/usr/local none bind,nosuid,nodev,relatime 0 0",
    "tmpfs /s/root/usr/src/project tmpfs size=4k,mode=755,nosuid,nodev 0 0",
  ];
  const readOnly = [
    "/usr /s/root/usr none rbind,ro,nosuid,nodev,noatime 0 0",
    "none /s/root/usr/share/a\\040b none remount,bind,ro,nosuid,nodev,noexec,relatime 0 0",
  ];

  it.each([
    ["makes mounts below /usr read-only too where overlays do not work", false, mounts, [...readOnly, ...rest]],
    ["makes /usr read-only where something is mounted below it", true, mounts, [...readOnly, ...rest]],
    [
      "puts an overlay over /usr otherwise, and hides what must not be seen there",
      true,
      mounts.filter(({ path }) => !path.startsWith("/usr/")),
      [
        "overlay /s/root/usr overlay lowerdir=/usr,upperdir=usr,workdir=usr-work,userxattr,volatile,nosuid,nodev 0 0",
        ...rest,
      ],
    ],
  ])("%s", (_title, canOverlayUsr, hostMounts, lines) => {
    expect(ofUsr(canOverlayUsr, hostMounts)).toEqual(lines);
  });
});
