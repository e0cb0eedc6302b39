// Paths of a machine inside URLs (`/files/<sandbox>/<path>` and `sandbox://<sandbox>/<path>`): below /workspace as they are,
// whether or not they begin with `workspace/`; absolute ones with a second slash before them, which may be written `%2F`.

/** The path that an encoded one stands for; null where its percent signs are no encoding. */
export function readUrlPath(encoded: string): string | null {
  try {
    const path = decodeURIComponent(encoded);
    return path === "workspace" || path.startsWith("workspace/") ? `/${path}` : path;
  } catch {
    return null;
  }
}

/** `%2F` rather than a second slash, which servers on the way may take away. */
export function writeUrlPath(path: string): string {
  const below = path.startsWith("/workspace/") ? path.slice("/workspace/".length) : path;
  const encoded = below.split("/").map(encodeURIComponent).join("/");
  if (below.startsWith("/")) return `%2F${encoded.slice(1)}`;
  return below.startsWith("workspace/") ? `%2Fworkspace/${encoded}` : encoded;
}
