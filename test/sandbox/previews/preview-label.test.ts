// Which host names are previews'.

import { expect, test } from "vitest";
import {
  formatPreviewLabel,
  labelUnder,
  newPreviewToken,
  parsePreviewLabel,
} from "../../../src/sandbox/previews/preview-label.ts";

const token = "abcdefghijklmnopqrstuvwxyz";

test.each([
  [`80-${token}`, { port: 80, token }],
  [`65535-${token}`, { port: 65_535, token }],
  [`65536-${token}`, null],
  [`0-${token}`, null],
  [`08-${token}`, null],
  [`-1-${token}`, null],
  [`123456-${token}`, null],
  [`80-${token}a`, null],
  [`80-${token.slice(1)}`, null],
  [`80-${token.toUpperCase()}`, null],
  [`80-${token.slice(1)}1`, null],
  [`80${token}`, null],
  [`x.80-${token}`, null],
  [token, null],
  ["", null],
])("parsePreviewLabel(%j)", (label, expected) => {
  expect(parsePreviewLabel(label)).toEqual(expected);
});

test.each([
  ["localhost", "80-x.localhost", "80-x"],
  ["localhost", "80-X.LOCALHOST", "80-x"],
  ["localhost", "localhost", null],
  ["localhost", "notlocalhost", null],
  ["localhost", "localhost.example.com", null],
  ["preview.example.com", "a.preview.example.com", "a"],
  ["preview.example.com", "a.b.preview.example.com", "a.b"],
  ["preview.example.com", "preview.example.com", null],
  ["preview.example.com", "apreview.example.com", null],
  ["preview.example.com", "example.com", null],
])("labelUnder(%j, %j)", (domain, hostname, expected) => {
  expect(labelUnder(domain, hostname)).toBe(expected);
});

test("newPreviewToken() makes 26 characters of 5 bits that fit a label with the longest port", () => {
  const tokens = new Set(Array.from({ length: 1_000 }, newPreviewToken));
  expect(tokens.size).toBe(1_000);
  for (const made of tokens) {
    const label = formatPreviewLabel({ port: 65_535, token: made });
    expect(label.length).toBeLessThanOrEqual(63);
    expect(parsePreviewLabel(label)).toEqual({ port: 65_535, token: made });
  }
  expect(new Set([...tokens].join("")).size).toBe(32);
});
