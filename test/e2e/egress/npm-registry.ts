// A private npm registry, as small as npm itself allows: packages are published, described and downloaded with a credential
// only. Routes of a stand-in.

import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import * as z from "zod";

const Published = z.object({
  name: z.string(),
  "dist-tags": z.record(z.string(), z.string()),
  versions: z.record(z.string(), z.looseObject({ dist: z.looseObject({ tarball: z.string() }) })),
  _attachments: z.record(z.string(), z.object({ data: z.base64() })),
});

/** `host` is the registry's own, as its clients know it. */
export function npmRegistry(host: string, credential: string): RequestListener {
  const packages = new Map<string, z.infer<typeof Published>>();
  return (request, response) => {
    if (request.headers.authorization !== credential) return sendJson(response, 401, { error: "Who are you?" });
    const [name = "", tarball] = decodeURIComponent((request.url ?? "").slice("/npm/".length)).split("/-/");
    if (request.method === "PUT") return void publish(request, response);
    const known = packages.get(name);
    if (known === undefined) return sendJson(response, 404, { error: "Not found" });
    if (tarball === undefined) return sendJson(response, 200, { ...known, _attachments: undefined });
    response.end(Buffer.from(known._attachments[`${name.split("/")[0]}/${tarball}`]?.data ?? "", "base64"));
  };

  async function publish(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const published = Published.parse(JSON.parse(await readText(request)));
    for (const { dist } of Object.values(published.versions))
      dist.tarball = `https://${host}/npm/${published.name}/-/${dist.tarball.split("/").pop()}`;
    packages.set(published.name, published);
    sendJson(response, 201, { ok: true });
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += String(chunk);
  return text;
}
