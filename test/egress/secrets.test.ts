// Which secret is added to which request, and that a response never shows it.

import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { redactBytes, redactText } from "../../src/egress/redact.ts";
import { secretEncodings } from "../../src/egress/secret-encodings.ts";
import { parseSecrets, secretFor } from "../../src/egress/secrets.ts";

const entry = { host: "git.example", secret: "TOKEN" };
const env = { TOKEN: "s3cr3t/+ü", OTHER: "0ther", SANDBOX: null };

afterEach(() => {
  vi.restoreAllMocks();
});

// An env without a prototype, with one binding that is not a secret.
const parse = (entries: unknown, more = {}) =>
  parseSecrets(JSON.stringify(entries), Object.assign(Object.create(null), env, more));

const header = (entries: unknown, url: string, { method = "GET", principal = "alice" } = {}) =>
  secretFor(parse(entries), { url: new URL(url), method, principal })?.value ?? null;

test.each<
  [title: string, entries: unknown, url: string, value: string | null, use?: { method?: string; principal?: string }]
>([
  ["the host", [entry], "https://git.example/a", "Bearer s3cr3t/+ü"],
  ["another host", [entry], "https://example/a", null],
  ["a subdomain", [entry], "https://x.git.example/a", null],
  ["a wildcard", [{ ...entry, host: "*.git.example" }], "https://x.git.example/a", "Bearer s3cr3t/+ü"],
  ["plain HTTP", [entry], "http://git.example/a", null],
  ["another port", [entry], "https://git.example:8443/a", null],
  ["the path", [{ ...entry, path: "/org" }], "https://git.example/org/repo", "Bearer s3cr3t/+ü"],
  ["the path itself", [{ ...entry, path: "/org" }], "https://git.example/org", "Bearer s3cr3t/+ü"],
  ["a path with the same prefix", [{ ...entry, path: "/org" }], "https://git.example/organ", null],
  ["a path that leaves it", [{ ...entry, path: "/org" }], "https://git.example/org/../other", null],
  ["a path that leaves it by escaped dots", [{ ...entry, path: "/org" }], "https://git.example/org/%2e%2e/other", null],
  ["a path with an escaped slash", [{ ...entry, path: "/org" }], "https://git.example/org%2f..%2fother", null],
  [
    "a path that leaves it, escaped twice",
    [{ ...entry, path: "/org" }],
    "https://git.example/org/%252e%252e/other",
    null,
  ],
  [
    "a path that leaves it, escaped twice in halves",
    [{ ...entry, path: "/org" }],
    "https://git.example/org/%%32e%%32e/other",
    null,
  ],
  ["a path that is escaped three times", [{ ...entry, path: "/org" }], "https://git.example/org/%25252e/other", null],
  [
    "a path that leaves it by an escaped slash",
    [{ ...entry, path: "/org" }],
    "https://git.example/org/..%2fother",
    null,
  ],
  [
    "a path that leaves it by an escaped backslash",
    [{ ...entry, path: "/org" }],
    "https://git.example/org/..%5cother",
    null,
  ],
  [
    "a path that leaves it by dots with a parameter",
    [{ ...entry, path: "/org" }],
    "https://git.example/org/..;a=b/other",
    null,
  ],
  [
    "a path that leaves it by dots and a NUL",
    [{ ...entry, path: "/org" }],
    "https://git.example/org/..%00/other",
    null,
  ],
  [
    "a path that leaves it by overlong dots",
    [{ ...entry, path: "/org" }],
    "https://git.example/org/%c0%ae%c0%ae/other",
    null,
  ],
  [
    "a path that has the escaped slash of an npm scope",
    [{ ...entry, path: "/org" }],
    "https://git.example/org/@scope%2fname",
    "Bearer s3cr3t/+ü",
  ],
  [
    "a path that has dots, parameters and escapes of its own",
    [{ ...entry, path: "/org" }],
    "https://git.example/org/..a/b.;c/100%25.txt/%C3%A9",
    "Bearer s3cr3t/+ü",
  ],
  ["the method", [{ ...entry, methods: ["get"] }], "https://git.example/", "Bearer s3cr3t/+ü"],
  ["another method", [{ ...entry, methods: ["GET"] }], "https://git.example/", null, { method: "POST" }],
  ["the principal", [{ ...entry, principals: ["alice"] }], "https://git.example/", "Bearer s3cr3t/+ü"],
  ["another principal", [{ ...entry, principals: ["alice"] }], "https://git.example/", null, { principal: "bob" }],
  [
    "basic",
    [{ ...entry, secret: "OTHER", scheme: "basic" }],
    "https://git.example/",
    `Basic ${btoa("x-access-token:0ther")}`,
  ],
  ["token", [{ ...entry, secret: "OTHER", scheme: "token" }], "https://git.example/", "token 0ther"],
  ["the longest path", [entry, { ...entry, path: "/a", secret: "OTHER" }], "https://git.example/a/b", "Bearer 0ther"],
  [
    "the exact host",
    [{ ...entry, host: "*.git.example", secret: "OTHER" }, entry],
    "https://git.example/",
    "Bearer s3cr3t/+ü",
  ],
])("secretFor() for %s", (_, entries, url, value, use) => {
  expect(header(entries, url, use)).toBe(value);
});

test.each<[title: string, setting: string]>([
  ["text that is not JSON", "{"],
  ["an object", "{}"],
  ["an unknown key", JSON.stringify([{ ...entry, hosts: 1 }])],
  ["a URL for a host", JSON.stringify([{ ...entry, host: "https://x" }])],
  ["a secret that is not set", JSON.stringify([{ ...entry, secret: "MISSING" }])],
  ["a secret with a line break", JSON.stringify([{ ...entry, secret: "BROKEN" }])],
])("parseSecrets() adds nothing and logs no secret for %s", (_, setting) => {
  const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const broken = { BROKEN: "s3cr3t\ns3cr3t" };
  expect(parseSecrets(setting, Object.assign(Object.create(null), env, broken))).toEqual([]);
  expect(log).toHaveBeenCalledOnce();
  expect(String(log.mock.calls)).not.toContain("s3cr3t");
});

test("parseSecrets() leaves out the white space around a secret, which no header keeps", () => {
  const [secret] = parse([entry], { TOKEN: " s3cr3t\n" });
  expect([secret?.value, secret?.encodings]).toEqual(["Bearer s3cr3t", secretEncodings("s3cr3t")]);
});

const token = 's3cr3t/+"ü?>~';
const bytes = Buffer.from(token);

test.each<[title: string, echo: string]>([
  ["itself", token],
  ["in a URL", encodeURIComponent(token)],
  ["in a URL, in lower case", encodeURIComponent(token).replace(/%../g, (escaped) => escaped.toLowerCase())],
  ["in JSON", JSON.stringify(token).slice(1, -1)],
  ["in hexadecimal", bytes.toString("hex")],
  ["in hexadecimal, in upper case", bytes.toString("hex").toUpperCase()],
])("redactText() replaces a credential %s and nothing else", (_, echo) => {
  expect(redactText(`a=${echo}&b`, secretEncodings(token))).toBe(`a=${"*".repeat(echo.length)}&b`);
});

const ODD = `k3y/<&>'!(*) +=ü€😀"$:@~`;

test.each<[encoder: string, echo: string]>([
  ["PHP's json_encode", String.raw`k3y\/<&>'!(*) +=\u00fc\u20ac\ud83d\ude00\"$:@~`],
  ["PHP's json_encode without its escapes of Unicode", String.raw`k3y\/<&>'!(*) +=ü€😀\"$:@~`],
  [
    "PHP's json_encode with JSON_HEX_*",
    String.raw`k3y\/\u003C\u0026\u003E\u0027!(*) +=\u00fc\u20ac\ud83d\ude00\u0022$:@~`,
  ],
  ["Python's json.dumps", String.raw`k3y/<&>'!(*) +=\u00fc\u20ac\ud83d\ude00\"$:@~`],
  ["Go's json.Marshal", String.raw`k3y/\u003c\u0026\u003e'!(*) +=ü€😀\"$:@~`],
  [".NET's JsonSerializer", String.raw`k3y/\u003C\u0026\u003E\u0027!(*) \u002B=\u00FC\u20AC\uD83D\uDE00\u0022$:@~`],
  ["Python's quote", "k3y/%3C%26%3E%27%21%28%2A%29%20%2B%3D%C3%BC%E2%82%AC%F0%9F%98%80%22%24%3A%40~"],
  ["Python's quote_plus", "k3y%2F%3C%26%3E%27%21%28%2A%29+%2B%3D%C3%BC%E2%82%AC%F0%9F%98%80%22%24%3A%40~"],
  ["PHP's urlencode", "k3y%2F%3C%26%3E%27%21%28%2A%29+%2B%3D%C3%BC%E2%82%AC%F0%9F%98%80%22%24%3A%40%7E"],
  ["Go's PathEscape", "k3y%2F%3C&%3E%27%21%28%2A%29%20+=%C3%BC%E2%82%AC%F0%9F%98%80%22$:@~"],
  [".NET's UrlEncode", "k3y%2f%3c%26%3e%27%21%28%2a%29+%2b%3d%c3%bc%e2%82%ac%f0%9f%98%80%22%24%3a%40%7e"],
  ["URLSearchParams", new URLSearchParams({ a: ODD }).toString().slice(2)],
])("redactText() replaces a credential as escaped by %s", (_, echo) => {
  expect(redactText(`<${echo}>`, secretEncodings(ODD))).toBe(`<${"*".repeat(echo.length)}>`);
});

/** Encoders as their languages define them, character by character. */
const unicode = (character: string) =>
  [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`)
    .join("");
const inJson = (text: string, escaped: (character: string) => string | null) =>
  [...text].map((character) => escaped(character) ?? JSON.stringify(character).slice(1, -1)).join("");
const percent = (text: string, kept: string) =>
  [...text]
    .map((character) =>
      /[A-Za-z0-9]/.test(character) || kept.includes(character)
        ? character
        : Buffer.from(character).toString("hex").toUpperCase().replace(/../g, "%$&"),
    )
    .join("");
const lower = (escaped: string) => escaped.replace(/%../g, (code) => code.toLowerCase());
const isAscii = (character: string) => character >= " " && character <= "~";

const encoders: Record<string, (text: string) => string> = {
  "JSON of JavaScript": (text) => JSON.stringify(text).slice(1, -1),
  "JSON of Python": (text) => inJson(text, (each) => (isAscii(each) ? null : unicode(each))),
  "JSON of PHP": (text) => inJson(text, (each) => (each === "/" ? "\\/" : isAscii(each) ? null : unicode(each))),
  "JSON of Go": (text) => inJson(text, (each) => ("<>&\u2028\u2029".includes(each) ? unicode(each) : null)),
  "percent of JavaScript": encodeURIComponent,
  "percent of JavaScript in lower case": (text) => lower(encodeURIComponent(text)),
  "percent of Python": (text) => percent(text, "_.-~/"),
  "percent of Python in lower case": (text) => lower(percent(text, "_.-~/")),
  "percent of PHP": (text) => percent(text, "_.-").replaceAll("%20", "+"),
  "percent of PHP in lower case": (text) => lower(percent(text, "_.-").replaceAll("%20", "+")),
  "raw percent of PHP": (text) => percent(text, "_.-~"),
  hexadecimal: (text) => Buffer.from(text).toString("hex"),
  "hexadecimal in upper case": (text) => Buffer.from(text).toString("hex").toUpperCase(),
};
const fully = Object.entries(encoders);

const anySecret = fc
  .array(
    fc.oneof(
      fc.constantFrom(..."/<>&'!()*+=~ \"\\$:@?;,#`%ü€😀\u2028\u007f"),
      fc.stringMatching(/^[A-Za-z0-9_.-]{1,8}$/),
    ),
    { minLength: 6, maxLength: 24 },
  )
  .map((parts) => parts.join("").trim())
  .filter((text) => text.length >= 6);

test.each(fully)("redactText() leaves nothing of any credential in %s", (_, encode) => {
  fc.assert(
    fc.property(anySecret, (secret) => {
      const echo = encode(secret);
      expect(redactText(`<${echo}>`, secretEncodings(secret))).toBe(`<${"*".repeat(echo.length)}>`);
    }),
  );
});

test.each<[name: string, encode: (digits: string) => string]>([
  ["with padding", (digits) => digits],
  ["without padding", (digits) => digits.replaceAll("=", "")],
  ["for URLs", (digits) => digits.replaceAll("+", "-").replaceAll("/", "_")],
  ["in a URL", encodeURIComponent],
  ["in JSON of PHP", (digits) => digits.replaceAll("/", "\\/")],
])("redactText() leaves only the edges of any credential in base64 %s", (_, encode) => {
  fc.assert(
    fc.property(anySecret, fc.constantFrom("", "a", "ab"), (secret, before) => {
      const digits = Buffer.from(`${before}${secret}`).toString("base64");
      const redacted = redactText(encode(digits), secretEncodings(secret));
      // The digits of what precedes it, one that it shares with that, one that it shares with the padding, and the padding itself.
      const rest = encode("=".repeat((digits.match(/=/g) ?? []).length)).length;
      expect(redacted.replaceAll("*", "").length).toBeLessThanOrEqual(before.length + 1 + 3 + rest);
    }),
  );
});

test("secretEncodings() has a bounded number of encodings, without repetition and without line breaks", () => {
  fc.assert(
    fc.property(anySecret, (secret) => {
      const encodings = secretEncodings(secret);
      expect(encodings.length).toBeLessThanOrEqual(80);
      expect(new Set(encodings).size).toBe(encodings.length);
      expect(encodings.filter((encoding) => /[\r\n]/.test(encoding))).toEqual([]);
    }),
  );
  // Letters and digits are not escaped by anything: itself, hexadecimal in two cases, and base64 after 0, 1 and 2 bytes.
  expect(secretEncodings("klmnopqr")).toHaveLength(6);
});

test.each(["", "a", "ab", "abc", "x-access-token:", '{"authorization":"Bearer '])(
  "redactText() replaces a credential in base64 after %j",
  (before) => {
    for (const alphabet of ["base64", "base64url"] as const) {
      const echo = Buffer.from(`${before}${token}"}`).toString(alphabet);
      const redacted = redactText(`<${echo}>`, secretEncodings(token));
      expect(redacted.length).toBe(echo.length + 2);
      // Only some bits of its first and last byte may remain.
      const left = Buffer.from(redacted.slice(1, -1).replaceAll("*", "A"), alphabet);
      for (let at = 0; at + 2 <= bytes.length; at += 1) expect(left.includes(bytes.subarray(at, at + 2))).toBe(false);
    }
  },
);

test("secretEncodings() leaves out short derived encodings, which would match by chance", () => {
  expect(secretEncodings("abc")).toEqual(["616263", "abc"]);
});

test.each(["s3cr3t/+ü", "0ther", "x?>y~~~z"])("redactText() replaces %s in base64, whatever surrounds it", (value) => {
  const [secret] = parse([entry], { TOKEN: value });
  for (const before of ["", "a", "ab", "abc", "user:"]) {
    for (const after of ["", "a", "ab", "abc"]) {
      for (const encoding of ["base64", "base64url"] as const) {
        const text = Buffer.from(before + value + after).toString(encoding);
        const redacted = redactText(text, secret?.encodings ?? []);
        // At each edge, some bits of one byte may remain.
        const left = Buffer.from(redacted.replaceAll("*", "A"), encoding).toString("latin1");
        expect(left.replaceAll("\0", "").length).toBeLessThanOrEqual(before.length + after.length + 2);
        expect(redacted).toContain("*".repeat(Math.floor((Buffer.from(value).length * 4) / 3) - 1));
      }
    }
  }
});

test("redactBytes() finds an encoding wherever the stream is split", () => {
  const text = "..abcabcabd..abcabd.abcab";
  const encodings = ["abcabd"];
  const expected = "..abc******..******.abcab";
  for (let first = 0; first <= text.length; first += 1) {
    for (let second = first; second <= text.length; second += 1) {
      const { transform, flush } = redactBytes(encodings);
      const pieces = [text.slice(0, first), text.slice(first, second), text.slice(second)];
      const out = pieces.map((piece) => Buffer.from(transform(Buffer.from(piece))).toString());
      expect([...out, Buffer.from(flush()).toString()].join("")).toBe(expected);
    }
  }
});

test("redactBytes() replaces the same bytes as redactText(), however the stream is split", () => {
  const encodings = secretEncodings(token);
  const part = fc.oneof(
    fc.constantFrom(...encodings, token.slice(0, 4), token.slice(1), bytes.toString("base64"), "*", "s"),
    fc.string({ maxLength: 8 }),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), fc.array(fc.nat(400), { maxLength: 8 }), (parts, places) => {
      const whole = Buffer.from(parts.join(""));
      const cuts = [0, ...places.map((place) => Math.min(place, whole.length)).sort((a, b) => a - b), whole.length];
      const { transform, flush } = redactBytes(encodings);
      const out = cuts.slice(1).map((cut, index) => Buffer.from(transform(whole.subarray(cuts[index], cut))));
      const expected = encodings.reduce(
        (text, form) => text.replaceAll(form, "*".repeat(Buffer.byteLength(form))),
        parts.join(""),
      );
      expect(Buffer.concat([...out, flush()]).toString()).toBe(expected);
    }),
    { numRuns: 2_000 },
  );
});
