// An answer as the machine may see it: without the credential that was added to its request, should the host have echoed it.

import { announcedBytes } from "./announced-bytes.ts";
import { passBytes } from "./pass-bytes.ts";
import { redactBytes, redactText } from "./redact.ts";
import { EGRESS_HEADER } from "./refusal.ts";
import type { EgressSecret } from "./secrets.ts";

/** `body` takes the place of the answer's own. */
export function withoutSecret(response: Response, body: ReadableStream | null, secret: EgressSecret | null): Response {
  if (secret === null) return body === response.body ? response : new Response(body, response);
  const headers = new Headers();
  for (const [name, value] of response.headers) headers.append(name, redactText(value, secret.forms));
  const { status } = response;
  const statusText = redactText(response.statusText, secret.forms);
  if (body === null) return new Response(null, { status, statusText, headers });
  const encoding = headers.get("content-encoding") ?? "identity";
  if (!READABLE.includes(encoding)) {
    void body.cancel();
    return unsearchable(encoding);
  }
  // Reading a compressed body gives what is inside.
  const encoded = encoding !== "identity";
  headers.delete("content-encoding");
  const announced = encoded ? null : announcedBytes(headers);
  headers.delete("content-length");
  return new Response(passBytes(body, redactBytes(secret.forms), announced ?? undefined), {
    status,
    statusText,
    headers,
  });
}

/** The encodings that the runtime undoes. */
const READABLE = ["identity", "gzip", "br"];

const unsearchable = (encoding: string): Response =>
  new Response(
    `The sandbox added a credential to this request, and the answer came back encoded (${encoding}) so that it cannot be searched for it.\n`,
    {
      status: 502,
      statusText: "The sandbox cannot read the answer",
      headers: { "content-type": "text/plain; charset=utf-8", [EGRESS_HEADER]: "unsearchable" },
    },
  );
