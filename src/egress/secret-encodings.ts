// The encodings in which a response might echo a credential: as it is, escaped for a URL or for JSON, in hexadecimal, and in
// base64. Base64 text depends on how many bytes precede the secret, modulo three, so it has three encodings; each also covers
// `user:secret`, a whole header or a whole body. Only the digits that encode nothing but the secret are searched for. Languages
// differ in what they escape; most secrets have few characters that any of them does, so that most of these encodings are the same.

/** Shorter derived encodings would match by chance. */
const DERIVED_MIN_CHARS = 6;

/** None contains a line break, unless the secret does. */
export function secretEncodings(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const base64 = [0, 1, 2].map((preceding) => base64Digits(bytes, preceding));
  const derived = [
    ...[secret, ...base64].flatMap((text) => [...urlEscapes(text), ...jsonEscapes(text)]),
    ...base64.map((digits) => digits.replaceAll("+", "-").replaceAll("/", "_")),
    ...[hex, hex.toUpperCase()],
  ].filter((encoding) => encoding.length >= DERIVED_MIN_CHARS);
  return [...new Set([secret, ...derived])].sort((a, b) => b.length - a.length);
}

/** The characters that are not escaped, besides letters, digits and `_`. */
const UNESCAPED_IN_URLS = [
  /[-.!~*'()]/, // encodeURIComponent
  /[-.!~*'();,/?:@&=+$#]/, // encodeURI
  /[-.~]/, // RFC 3986, section 2.3; PHP's rawurlencode, Go's QueryEscape
  /[-.~/]/, // Python's quote
  /[-.~$&+=:@]/, // Go's PathEscape
  /[-.*]/, // the URL standard's forms, Java
  /[-.]/, // PHP's urlencode
];

function urlEscapes(text: string): string[] {
  const upper = UNESCAPED_IN_URLS.map((unescaped) =>
    Array.from(text, (character) =>
      /^\w$/.test(character) || unescaped.test(character) ? character : percentEncode(character),
    ).join(""),
  );
  const both = [...upper, ...upper.map((escaped) => escaped.replace(/%../g, (code) => code.toLowerCase()))];
  return [...both, ...both.map((escaped) => escaped.replaceAll("%20", "+"))];
}

const percentEncode = (character: string): string =>
  Array.from(
    new TextEncoder().encode(character),
    (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`,
  ).join("");

/** What is written as `\uXXXX` beyond what JSON requires, in lower or in upper case. */
const ESCAPED_IN_JSON: { lower?: RegExp; upper?: RegExp }[] = [
  {},
  { lower: /[<>&\u2028\u2029]/g }, // Go, Rails
  { lower: /[<>&'=\u2028\u2029]/g }, // Gson
  { lower: /[^ -~]/g }, // Python, PHP
  { upper: /\\"|[<>&']/g, lower: /[^ -~]/g }, // PHP with its JSON_HEX flags
  { upper: /\\"|[<>&'+`]|[^ -~]/g }, // .NET
];

/** PHP also escapes slashes. */
function jsonEscapes(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const escaped = ESCAPED_IN_JSON.map(({ upper = NOTHING, lower = NOTHING }) =>
    json
      .replace(upper, (escapee) => `\\u${codeOf(escapee).toUpperCase()}`)
      .replace(lower, (escapee) => `\\u${codeOf(escapee)}`),
  );
  return [...escaped, ...escaped.map((each) => each.replaceAll("/", "\\/"))];
}

const NOTHING = /(?!)/g;

/** Of the last character: a quotation mark is escaped already. */
const codeOf = (escapee: string): string =>
  escapee
    .charCodeAt(escapee.length - 1)
    .toString(16)
    .padStart(4, "0");

/** The base64 digits that encode only `bytes` when `preceding` other bytes come before them. */
function base64Digits(bytes: Uint8Array, preceding: number): string {
  const digits = btoa(String.fromCharCode(...new Uint8Array(preceding), ...bytes));
  return digits.slice(Math.ceil((preceding * 8) / 6), Math.floor(((preceding + bytes.length) * 8) / 6));
}
