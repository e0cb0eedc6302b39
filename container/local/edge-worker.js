// Does what Cloudflare's edge does in front of a deployed Worker: sets the address of the client, passes on no header that only the
// edge may set, refuses what is not a URL, and answers for a Worker that fails.

/** The server listens on loopback only. */
const CLIENT = "127.0.0.1";

/** Set by Cloudflare, by Miniflare or by another proxy; whatever a client sends under these names is invented. */
const SET_BY_PROXIES = /^(cf-|mf-|x-forwarded-|x-real-ip$|true-client-ip$|forwarded$|cdn-loop$)/;

export default {
  async fetch(request, { WORKER }) {
    if (!URL.canParse(request.url)) return answer(400, "The URL of the request, or its Host header, is not valid");
    if (!hasReadableCf(request)) return answer(400, "The header MF-CF-Blob is not JSON; leave it out");
    const headers = new Headers(request.headers);
    for (const name of [...headers.keys()].filter((name) => SET_BY_PROXIES.test(name))) headers.delete(name);
    headers.set("CF-Connecting-IP", CLIENT);
    try {
      return await WORKER.fetch(new Request(request, { headers, cf: {} }));
    } catch (error) {
      console.error(error);
      return answer(500, "The server failed; try again");
    }
  },
};

/** workerd takes request.cf from a header, and parses it when it is asked for. */
function hasReadableCf(request) {
  try {
    return request.cf !== null;
  } catch {
    return false;
  }
}

const answer = (status, error) => Response.json({ error }, { status });
