// Does what Cloudflare's edge does in front of a deployed Worker: sets the address of the client, whatever header the client sent.

/** The server listens on loopback only. */
const CLIENT = "127.0.0.1";

export default {
  fetch(request, { WORKER }) {
    const headers = new Headers(request.headers);
    headers.set("CF-Connecting-IP", CLIENT);
    return WORKER.fetch(new Request(request, { headers, cf: {} }));
  },
};
