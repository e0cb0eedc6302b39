// The media type of a file by its name. What is not known here is sent as bytes.

const text = (type: string): string => `${type}; charset=utf-8`;

const byExtension: Record<string, string> = {
  txt: text("text/plain"),
  log: text("text/plain"),
  md: text("text/markdown"),
  csv: text("text/csv"),
  tsv: text("text/tab-separated-values"),
  html: text("text/html"),
  htm: text("text/html"),
  css: text("text/css"),
  js: text("text/javascript"),
  mjs: text("text/javascript"),
  cjs: text("text/javascript"),
  ts: text("text/plain"),
  tsx: text("text/plain"),
  jsx: text("text/plain"),
  py: text("text/x-python"),
  rs: text("text/plain"),
  go: text("text/plain"),
  java: text("text/plain"),
  c: text("text/plain"),
  h: text("text/plain"),
  cpp: text("text/plain"),
  rb: text("text/plain"),
  php: text("text/plain"),
  sh: text("text/x-shellscript"),
  sql: text("text/plain"),
  toml: text("application/toml"),
  yaml: text("application/yaml"),
  yml: text("application/yaml"),
  xml: text("application/xml"),
  json: "application/json",
  jsonl: "application/x-ndjson",
  ndjson: "application/x-ndjson",
  wasm: "application/wasm",
  pdf: "application/pdf",
  zip: "application/zip",
  gz: "application/gzip",
  tgz: "application/gzip",
  zst: "application/zstd",
  xz: "application/x-xz",
  bz2: "application/x-bzip2",
  tar: "application/x-tar",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  svg: "image/svg+xml",
  ico: "image/x-icon",
  mp3: "audio/mpeg",
  wav: "audio/wav",
  ogg: "audio/ogg",
  mp4: "video/mp4",
  webm: "video/webm",
  woff2: "font/woff2",
};

export function contentType(path: string): string {
  const extension = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(byExtension, extension) ? (byExtension[extension] ?? BYTES) : BYTES;
}

export const BYTES = "application/octet-stream";
