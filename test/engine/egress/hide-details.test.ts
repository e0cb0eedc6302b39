import { expect, test } from "vitest";
import { hideDetails } from "../../../container/engine/egress/hide-details.ts";

const head = "HTTP/1.1 500 Internal Server Error\r\nConnection: close\r\nContent-Length: 121\r\n\r\n";
const error = "ERROR: The server threw an exception.";
const details = " Details:\n\nkj/compat/http.c++:2396: failed: invalid\nstack: workerd@68d8759";

test.each([
  ["an answer of workerd's own", `${head}${error}${details}`, `${head}${error}${" ".repeat(details.length)}`],
  ["its body alone", `${error}${details}`, `${error}${" ".repeat(details.length)}`],
  [
    "an answer to what it does not do",
    `ERROR: The server does not implement this operation.${details}`,
    `ERROR: The server does not implement this operation.${" ".repeat(details.length)}`,
  ],
  ["another answer", `${head}see: ${error}${details}`, `${head}see: ${error}${details}`],
  ["a host's answer", `HTTP/1.1 200 OK\r\n\r\n${error}${details}`, `HTTP/1.1 200 OK\r\n\r\n${error}${details}`],
  ["other bytes", `x${error}${details}`, `x${error}${details}`],
])("hideDetails() makes of %s what a machine may see", (_, sent, seen) => {
  const bytes = Buffer.from(sent);
  hideDetails(bytes);
  expect(bytes.toString()).toBe(seen);
});
