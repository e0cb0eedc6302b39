// How every answer of the file tool names a file and the version of its content.

interface Location {
  path: string;
  real_path: string | null;
}

export const formatLocation = ({ path, real_path }: Location): string =>
  real_path === null ? path : `${path} (really ${real_path})`;

/** As many digits as `expected_hash` needs; nothing for a file that is too large to hash. */
export const formatHash = ({ sha256 }: { sha256: string | null }): string =>
  sha256 === null ? "" : `, hash ${sha256.slice(0, 16)}`;
