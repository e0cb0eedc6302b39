// The forms in which an answer might echo a credential: as it is, escaped for a URL or for JSON, in hexadecimal, and in base64.
// There a text comes out in three ways, by how many bytes stand before it, so that each of them also covers `user:secret`, a
// whole header, or a whole body; only the digits that hold nothing but the secret are looked for.

/** Shorter ones of what is derived would be found by chance. */
const DERIVED_MIN_CHARS = 6;

/** The longest first, and none of them inside another. */
export function secretForms(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const url = encodeURIComponent(secret);
  const base64 = [0, 1, 2].map((before) => base64Digits(bytes, before));
  const derived = [
    ...[url, url.replace(/%../g, (escaped) => escaped.toLowerCase()), JSON.stringify(secret).slice(1, -1)],
    ...[hex, hex.toUpperCase()],
    ...[...base64, ...base64.map((digits) => digits.replaceAll("+", "-").replaceAll("/", "_"))],
  ].filter((form) => form.length >= DERIVED_MIN_CHARS);
  return [...new Set([secret, ...derived])].sort((a, b) => b.length - a.length);
}

/** Of `bytes` after as many others. */
function base64Digits(bytes: Uint8Array, before: number): string {
  const digits = btoa(String.fromCharCode(...new Uint8Array(before), ...bytes));
  return digits.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
}
