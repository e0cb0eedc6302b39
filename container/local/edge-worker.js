// Stands where Cloudflare's edge stands in front of a deployed Worker: says where a request comes from, whatever the client says.

/** The socket is on loopback. */
const CLIENT = "127.0.0.1";

export default {
  fetch(request, { WORKER }) {
    const headers = new Headers(request.headers);
    headers.set("CF-Connecting-IP", CLIENT);
    return WORKER.fetch(new Request(request, { headers, cf: {} }));
  },
};
