// Paths of a machine inside URLs (`/files/<sandbox>/<path>` and `sandbox://<sandbox>/<path>`). A path below /workspace is written
// relative to it, with or without a leading `workspace/`; any other absolute path begins with a second slash, or with `%2F`.

/** Decodes a path. Null when its percent signs are no encoding. */
export function readUrlPath(encoded: string): string | null {
  try {
    const path = decodeURIComponent(encoded);
    return path === "workspace" || path.startsWith("workspace/") ? `/${path}` : path;
  } catch {
    return null;
  }
}

/** Encodes a path. Writes `%2F` rather than a second slash, which servers on the way may remove. */
export function writeUrlPath(path: string): string {
  const below = path.startsWith("/workspace/") ? path.slice("/workspace/".length) : path;
  const encoded = below.split("/").map(encodeURIComponent).join("/");
  if (below.startsWith("/")) return `%2F${encoded.slice(1)}`;
  return below.startsWith("workspace/") ? `%2Fworkspace/${encoded}` : encoded;
}
