// The system's packages cannot be changed from a machine, because its root is an ordinary user of the host. A script of
// the same name, earlier in PATH, says so before the tool's own error; everything that only reads works as ever.

export const PACKAGE_TOOLS = ["apt", "apt-get", "dpkg"] as const;

export const packageToolScript = (tool: (typeof PACKAGE_TOOLS)[number]): string => `#!/bin/sh
for word in "$@"; do
  case "$word" in
    ${tool === "dpkg" ? DPKG_WRITES : APT_WRITES})
      echo '${SENTENCE}' >&2
      break ;;
  esac
done
exec /usr/bin/${tool} "$@"
`;

const SENTENCE =
  "This machine cannot change system packages: install with npm, pip, cargo or into /usr/local, /opt or the home " +
  "directory instead, or run the server with Docker.";

const APT_WRITES =
  "update|install|reinstall|remove|purge|autoremove|autopurge|upgrade|full-upgrade|dist-upgrade|build-dep";

const DPKG_WRITES = "-i|--install|-r|--remove|-P|--purge|--unpack|--configure";
