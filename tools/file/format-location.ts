// How every answer of the file tool names a file, and which content of it.

interface Place {
  path: string;
  real_path: string | null;
}

export const placeOf = ({ path, real_path }: Place): string =>
  real_path === null ? path : `${path} (really ${real_path})`;

/** Enough digits for `expected_hash`. */
export const hashOf = ({ sha256 }: { sha256: string | null }): string =>
  sha256 === null ? "" : `, hash ${sha256.slice(0, 16)}`;
