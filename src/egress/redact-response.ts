// A response as the client may see it: without the credential that was added to its request, in case the host echoes it.

import { parseContentLength } from "./content-length.ts";
import { redactBytes, redactText } from "./redact.ts";
import { EGRESS_HEADER } from "./refusal.ts";
import type { EgressSecret } from "./secrets.ts";
import { transformBytes } from "./transform-bytes.ts";

/** `body` replaces the body of `response`. */
export function redactResponse(response: Response, body: ReadableStream | null, secret: EgressSecret | null): Response {
  if (secret === null) return body === response.body ? response : new Response(body, response);
  const headers = new Headers();
  for (const [name, value] of response.headers) headers.append(name, redactText(value, secret.encodings));
  const { status } = response;
  const statusText = redactText(response.statusText, secret.encodings);
  if (body === null) return new Response(null, { status, statusText, headers });
  const contentEncoding = headers.get("content-encoding") ?? "identity";
  if (!DECODED_BY_RUNTIME.includes(contentEncoding)) {
    void body.cancel();
    return unsearchable(contentEncoding);
  }
  // The runtime decodes a compressed body as it is read, so the declared length does not apply to what is read here.
  const declared = contentEncoding === "identity" ? parseContentLength(headers) : null;
  headers.delete("content-encoding");
  headers.delete("content-length");
  return new Response(transformBytes(body, redactBytes(secret.encodings), declared ?? undefined), {
    status,
    statusText,
    headers,
  });
}

const DECODED_BY_RUNTIME = ["identity", "gzip", "br"];

const unsearchable = (contentEncoding: string): Response =>
  new Response(
    `The sandbox added a credential to this request, and the response uses the content encoding "${contentEncoding}", in which the credential cannot be found and removed.\n`,
    {
      status: 502,
      statusText: "The sandbox cannot read the response",
      headers: { "content-type": "text/plain; charset=utf-8", [EGRESS_HEADER]: "unsearchable" },
    },
  );
