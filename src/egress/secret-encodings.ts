// The encodings in which a response might echo a credential: as it is, escaped for a URL or for JSON, in hexadecimal, and in
// base64. Base64 text depends on how many bytes precede the secret, modulo three, so it has three encodings; each also covers
// `user:secret`, a whole header or a whole body. Only the digits that encode nothing but the secret are searched for.

/** Shorter derived encodings would match by chance. */
const DERIVED_MIN_CHARS = 6;

/** Longest first, so that an encoding is redacted before a shorter one that is part of it. */
export function secretEncodings(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const url = encodeURIComponent(secret);
  const base64 = [0, 1, 2].map((preceding) => base64Digits(bytes, preceding));
  const derived = [
    ...[url, url.replace(/%../g, (escaped) => escaped.toLowerCase()), JSON.stringify(secret).slice(1, -1)],
    ...[hex, hex.toUpperCase()],
    ...[...base64, ...base64.map((digits) => digits.replaceAll("+", "-").replaceAll("/", "_"))],
  ].filter((encoding) => encoding.length >= DERIVED_MIN_CHARS);
  return [...new Set([secret, ...derived])].sort((a, b) => b.length - a.length);
}

/** The base64 digits that encode only `bytes` when `preceding` other bytes come before them. */
function base64Digits(bytes: Uint8Array, preceding: number): string {
  const digits = btoa(String.fromCharCode(...new Uint8Array(preceding), ...bytes));
  return digits.slice(Math.ceil((preceding * 8) / 6), Math.floor(((preceding + bytes.length) * 8) / 6));
}
